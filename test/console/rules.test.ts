/** Rules, stop and the first owner without a terminal, in both languages. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encode } from 'uqr'
import { offerFirstOwner } from '../../src/rules/people/index.ts'
import { BROWSER, NARROW, signOut, startOwnerlessConsole } from './staging-console.ts'

let started: Awaited<ReturnType<typeof startOwnerlessConsole>>

beforeAll(async () => {
  started = await startOwnerlessConsole()
}, 120_000)
afterAll(() => started?.console.close())

describe.runIf(BROWSER)('from the first link to the first rules', () => {
  let key = ''

  test('whoever opens the link gives a name, notes the key and is signed in; a second one is told why not', async () => {
    const { console: staging, running } = started
    const link = (await offerFirstOwner(running.ctx)) ?? ''
    const path = link.slice(link.indexOf('/signin'))
    const other = await staging.open(path, { locale: 'zh-CN' })
    await other.getByRole('heading', { name: '成为负责人' }).waitFor()

    const page = await staging.open(path)
    await page.getByRole('heading', { name: 'Become the owner' }).waitFor()
    await page.getByLabel('Your name').fill('Wang')
    await page.getByRole('button', { name: 'Become the owner' }).click()
    key = (await page.getByText(/^vk_[\w-]{43}$/).textContent()) ?? ''
    expect(page.url()).not.toContain('vo_')
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.locator('main.sign-in').waitFor({ state: 'detached' })
    await page.getByText('Wang').first().waitFor()

    await other.getByLabel('您的姓名').fill('Thief')
    await other.getByRole('button', { name: '成为负责人' }).click()
    await other.getByText('链接已使用或已过期').waitFor()
  })

  test('an owner adds a passkey to this device, signs in with it without typing, and removes it', async () => {
    const page = await started.console.signedIn('/guardrails', { token: key })
    const devices = await page.context().newCDPSession(page)
    await devices.send('WebAuthn.enable')
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('button', { name: 'Passkeys' }).click()
    await page.locator('input[name=passkey]').fill('Office laptop')
    await page.getByRole('button', { name: 'Add a passkey to this device' }).click()
    await page.getByRole('cell', { name: 'Office laptop', exact: true }).waitFor()
    // The device has one already, and says so itself.
    await page.getByRole('button', { name: 'Add a passkey to this device' }).click()
    await page.getByText('No passkey was made').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()

    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { level: 1, name: 'Rules', exact: true }).waitFor()
    expect(await page.locator('.signed-in').textContent()).toContain('Wang')

    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('button', { name: 'Passkeys' }).click()
    await page.getByRole('button', { name: 'Remove the passkey Office laptop' }).click()
    await page
      .getByRole('dialog', { name: /^Remove/ })
      .getByRole('button', { name: 'Remove' })
      .click()
    // What was signed in with it ends, and it signs in no more.
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey is not known here').waitFor()
  })

  test('an owner changes a rule, sees its use, and takes it back', async () => {
    const page = await started.console.signedIn('/guardrails', { token: key })
    await page.getByRole('button', { name: 'Change: Spending limit per week' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[name=value]').fill('five')
    await dialog.getByText('This can’t be read. Write amounts such as 1500 or 12.50.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await dialog.locator('input[name=value]').fill('5000')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('¥0.00 of ¥5,000.00').waitFor()
    const { rules } = await started.console.api.getGuardrails()
    expect(rules.spendingLimitPerWeek).toBe(500_000)

    await page.getByRole('button', { name: 'Change: Restocking without asking' }).click()
    await dialog.locator('select').selectOption('propose')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Rules', exact: true }).getByText('Prepares and asks').waitFor()

    await page.getByRole('button', { name: 'Change: Limits by person or program' }).click()
    await dialog.locator('input[name=who]').fill('operator')
    await dialog.locator('input[name=perDay]').fill('100')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('¥0.00 of ¥100.00').waitFor()

    await page.getByRole('button', { name: 'Change: Spending limit per week' }).click()
    await dialog.locator('input[name=value]').fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('¥0.00 of ¥5,000.00').waitFor({ state: 'detached' })
    expect((await started.console.api.getGuardrails()).rules).not.toHaveProperty('spendingLimitPerWeek')
  })

  test('others read the rules and change none; on a phone nothing is cut off', async () => {
    const page = await started.console.signedIn('/guardrails', { locale: 'zh-CN', viewport: NARROW })
    // Also in the list of changes.
    await page.getByText('每周采购上限').first().waitFor()
    expect(await page.getByRole('button', { name: /^修改/ }).count()).toBe(0)
    const isCut = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
    expect(isCut).toBe(false)
  })

  test('an owner releases the stop with the typed word', async () => {
    await started.console.api.pullEmergencyStop({ body: { reason: 'test' } })
    const page = await started.console.signedIn('/guardrails', { token: key, locale: 'zh-CN' })
    await page.getByRole('button', { name: '解除紧急停止' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[name=reason]').fill('已核对')
    const submit = dialog.getByRole('button', { name: '解除紧急停止' })
    await dialog.locator('input[name=word]').fill('yes')
    expect(await submit.isDisabled()).toBe(true)
    await dialog.locator('input[name=word]').fill('release')
    await submit.click()
    await page.getByText('紧急停止已解除').waitFor()
    expect((await started.console.api.getGuardrails()).emergency_stop.engaged).toBe(false)
  })

  test('the link of a new person is a QR code, too', async () => {
    const page = await started.console.signedIn('/people', { token: key })
    await page.getByRole('button', { name: 'Add a person' }).click()
    await page.getByLabel('Name').fill('Driver Li')
    await page.locator('dialog button[type=submit]').click()
    const code = page.getByRole('img', { name: 'Sign-in link as a QR code' })
    const link = (await page.getByText(/\/signin#vl_[\w-]{43}$/).textContent()) ?? ''
    const dark = encode(link, { border: 2, ecc: 'L' }).data.flat().filter(Boolean).length
    expect((await code.locator('path').getAttribute('d'))?.split('M').length).toBe(dark + 1)
  })

  test('where there is no rules file, an owner sets the first rules', async () => {
    const { console: staging } = started
    let isSet = false
    // As a live deployment without a file answers.
    const missing = { missing: 'spendingLimitPerRun, priceCapPerItem, hardNoGos' }
    const message = {
      type: 'error',
      code: 'guard_unverifiable',
      severity: 'unrecoverable',
      content: '',
      params: missing,
    }
    const json = { ucp: { version: '2026-08-25', status: 'error' }, messages: [message] }
    const withoutRules = async (token: string) => {
      const page = await staging.signedIn('/', { token })
      await page.route('**/ucp/v1/guardrails', (route) => {
        if (route.request().method() === 'GET' && !isSet) return route.fulfill({ status: 503, json })
        isSet = true
        return route.continue()
      })
      await page.goto(`${staging.url}/guardrails`)
      return page
    }
    const agent = await withoutRules((await staging.addKey('operator')).key)
    await agent.getByText('until an owner has set the first rules').waitFor()
    const page = await withoutRules(key)
    await page.goto(`${staging.url}/plan`)
    await page.getByText('No rules are set yet. Nothing is ordered').waitFor()
    await page.getByRole('link', { name: 'Set the rules' }).click()
    await page.locator('input[name=spendingLimitPerRun]').fill('400')
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await page.locator('input[name=priceCapPerItem]').fill('0.50')
    await page.locator('input[name=hardNoGos]').fill('tobacco, 烟草')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('¥400.00').first().waitFor()
    expect((await staging.api.getGuardrails()).rules).toMatchObject({
      spendingLimitPerRun: 40_000,
      priceCapPerItem: 50,
      hardNoGos: ['tobacco', '烟草'],
    })
  })
})
