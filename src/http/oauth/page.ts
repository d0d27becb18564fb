/** The page on which an owner agrees that a program connects. One page, no script, in the style of the console. */
import { hash } from 'node:crypto'
import { type Html, html } from '../../api-docs/html.ts'

const STYLE = `:root{color-scheme:light dark}
body{margin:0;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei',sans-serif;background:light-dark(#f7f7f8,#0e1014);color:light-dark(#15181e,#e9ebef)}
main{max-width:30rem;margin:8vh auto;padding:1.5rem;background:light-dark(#fff,#15181e);border:1px solid light-dark(#e4e6ea,#262b34);border-radius:10px}
h1{font-size:1.25rem;margin:0 0 1rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0 0 1rem}
dt{color:light-dark(#4c5462,#b3bac7)}dd{margin:0;overflow-wrap:anywhere}
fieldset{border:1px solid light-dark(#e4e6ea,#262b34);border-radius:7px;margin:0 0 1rem;padding:.5rem 1rem}
label{display:block;padding:.4rem 0}
small{display:block;color:light-dark(#4c5462,#b3bac7)}
button,.link{font:inherit;min-height:44px;padding:.5rem 1rem;border-radius:7px;border:1px solid light-dark(#c6cad2,#414957);background:none;color:inherit;cursor:pointer}
button[value=yes]{background:light-dark(#3451d1,#4560dc);border-color:transparent;color:#fff}
a{color:light-dark(#3451d1,#93a9ff)}`

const STYLE_HASH = `'sha256-${hash('sha256', STYLE, 'base64')}'`

/** Chrome follows a redirect after a form only to what `form-action` names. */
export const pageHeaders = (redirectUri?: string) => ({
  'content-security-policy': `default-src 'none'; style-src ${STYLE_HASH}; base-uri 'none'; form-action 'self'${
    redirectUri === undefined ? '' : ` ${new URL(redirectUri).origin}`
  }; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
})

const EN = {
  title: 'Connect an agent',
  asks: 'This program wants to work on your route.',
  program: 'Program',
  goesTo: 'Its key goes to',
  may: 'It may',
  roles: {
    viewer: ['Only read', 'Machines, stock, orders and sales.'],
    driver: ['Fill machines', 'What a driver may do. No amounts of money.'],
    operator: ['Run the route', 'Plan, buy and change prices within your rules.'],
  },
  autonomous: 'Buy and change prices within the rules without asking a person (only for “Run the route”)',
  yes: 'Connect',
  no: 'Refuse',
  note: 'Connect only a program that you started yourself just now. You end the connection under People.',
  owner: 'Only an owner can connect an agent. Sign in as an owner; then you come back to this page.',
  signIn: 'Sign in',
  again: 'Try again',
  unknown: 'This request cannot be used. Start again in the program that sent you here.',
}
const ZH: typeof EN = {
  title: '连接智能体',
  asks: '这个程序想在您的线路上工作。',
  program: '程序',
  goesTo: '密钥发往',
  may: '它可以',
  roles: {
    viewer: ['只读', '机器、库存、订单和销售。'],
    driver: ['补货', '与司机相同的权限，看不到金额。'],
    operator: ['运营线路', '在您的规则内计划、采购和改价。'],
  },
  autonomous: '在规则内采购和改价，不必询问任何人（仅限“运营线路”）',
  yes: '连接',
  no: '拒绝',
  note: '只连接您刚刚亲自启动的程序。可在“人员”中随时结束连接。',
  owner: '只有负责人可以连接智能体。请以负责人身份登录，登录后会回到此页。',
  signIn: '登录',
  again: '重试',
  unknown: '此请求无法使用。请回到原来的程序重新开始。',
}

const textsFor = (language: string | undefined) => (/^zh\b/i.test(language ?? '') ? ZH : EN)

export const ROLES_OFFERED = ['viewer', 'driver', 'operator'] as const

function page(language: string | undefined, content: Html, head?: Html): string {
  const texts = textsFor(language)
  const style = html`<style>`.text + STYLE + html`</style>`.text
  const parts = html`<main>
    <h1>${texts.title}</h1>
    ${content}
  </main>`.text
  return `<!doctype html><html lang="${texts === ZH ? 'zh' : 'en'}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${texts.title}</title>${head?.text ?? ''}${style}${parts}</html>`
}

export const unknownPage = (language: string | undefined): string =>
  page(language, html`<p>${textsFor(language).unknown}</p>`)

/** A browser that comes from another site leaves the cookie out; from this page it sends it. */
export const returnPage = (language: string | undefined, url: string): string =>
  page(
    language,
    html`<p><a href="${url}">${textsFor(language).again}</a></p>`,
    html`<meta http-equiv="refresh" content="0;url=${url}" />`,
  )

export function signInPage(language: string | undefined, url: string): string {
  const texts = textsFor(language)
  return page(
    language,
    html`<p>${texts.owner}</p>
      <p>
        <a href="/signin?then=${encodeURIComponent(url)}">${texts.signIn}</a> · <a href="${url}">${texts.again}</a>
      </p>`,
  )
}

interface Consent {
  readonly client: string
  readonly redirectUri: string
  /** Where the form goes: the request as it was asked. */
  readonly url: string
}

export function consentPage(language: string | undefined, { client, redirectUri, url }: Consent): string {
  const texts = textsFor(language)
  const roles = ROLES_OFFERED.map(
    (role) =>
      html`<label
        ><input type="radio" name="role" value="${role}" required /> ${texts.roles[role][0] ?? ''}<small
          >${texts.roles[role][1] ?? ''}</small
        ></label
      >`,
  )
  return page(
    language,
    html`<p>${texts.asks}</p>
      <dl>
        <dt>${texts.program}</dt>
        <dd>${client}</dd>
        <dt>${texts.goesTo}</dt>
        <dd>${new URL(redirectUri).host}</dd>
      </dl>
      <form method="post" action="${url}">
        <fieldset>
          <legend>${texts.may}</legend>
          ${roles}
        </fieldset>
        <label><input type="checkbox" name="autonomous" value="true" /> ${texts.autonomous}</label>
        <p><small>${texts.note}</small></p>
        <button name="decision" value="yes">${texts.yes}</button>
        <button name="decision" value="no" formnovalidate>${texts.no}</button>
      </form>`,
  )
}
