/** Texts of people and keys. */
import type { peopleEn } from '../en/people.ts'

export const peopleZh: typeof peopleEn = {
  people: {
    lead: '谁持有密钥，以及可以做什么。',
    add: '添加人员',
    name: '姓名',
    role: '角色',
    roleHints: {
      owner: '可进行一切操作；只有负责人可以审批和管理人员。',
      operator: '除审批和管理人员以外的一切操作，也适用于程序。',
      driver: '查看机器和补货单、盘点和收货；不能采购或改价。',
      viewer: '只能查看。',
      bridge: '转达管理员在群聊中所做决定的机器人。',
    },
    days: '有效天数（留空则长期有效）',
    lastUsed: '最近使用',
    thisHour: '一小时内',
    expires: '到期时间',
    active: '有效',
    revoked: '已撤销',
    expired: '已过期',
    revoke: '撤销',
    revokeSure: (name) => `撤销${name}`,
    revokeText: '密钥立即失效，相关登录也会结束，且无法恢复。',
    keyTitle: (name) => `${name}的密钥`,
    keyText: '仅显示这一次。请立即复制，或转发登录链接（十分钟内有效，只能使用一次）。',
    key: '密钥',
    link: '登录链接',
    copy: '复制',
    copyOf: (what) => `复制：${what}`,
    copied: '已复制',
    selected: '已选中，请按 Ctrl+C、⌘C 或用手机菜单复制。',
    done: '完成',
  },
}
