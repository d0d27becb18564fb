/** Texts of the dialog with one’s own passkeys. */

const en = {
  lead: 'A passkey signs you in with your fingerprint, your face or the PIN of this device. You type no key.',
  none: 'You have no passkey yet.',
  name: 'Name',
  added: 'Added',
  lastUsed: 'Last used',
  add: 'Add a passkey to this device',
  nameHint: 'So that you know later which device it is.',
  saved: 'Passkey added',
  remove: 'Remove',
  removeOf: (name: string) => `Remove the passkey ${name}`,
  removeSure: (name: string) => `Remove the passkey ${name}?`,
  removeText:
    'It no longer signs you in, and sign-ins with it end, also here. Your key and your other passkeys keep working. Delete it on the device, too.',
  removed: 'Passkey removed',
  signInAgain: 'Sign in again',
  stale:
    'You signed in more than ten minutes ago. Sign in again first, so that nobody else adds a passkey in your name.',
  canceled: 'No passkey was made: it was canceled, took too long, or this device has one already.',
}

const zh: typeof en = {
  lead: '通行密钥让您用本设备的指纹、面容或 PIN 登录，无需输入密钥。',
  none: '还没有通行密钥。',
  name: '名称',
  added: '添加时间',
  lastUsed: '最近使用',
  add: '为本设备添加通行密钥',
  nameHint: '便于以后辨认是哪台设备。',
  saved: '已添加通行密钥',
  remove: '移除',
  removeOf: (name) => `移除通行密钥 ${name}`,
  removeSure: (name) => `移除通行密钥 ${name}？`,
  removeText:
    '之后不能再用它登录，用它登录的设备（包括这台）会退出登录。密钥和其他通行密钥不受影响。请在设备上一并删除。',
  removed: '已移除通行密钥',
  signInAgain: '重新登录',
  stale: '登录已超过十分钟。请先重新登录，以免他人以您的名义添加通行密钥。',
  canceled: '未创建通行密钥：已取消、超时，或本设备已有一个。',
}

export const PASSKEYS = { en, zh }
