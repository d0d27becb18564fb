/** The machines that the platforms and files name: those that are ticked are put on the route, with name and address. */
import { useState } from 'preact/hooks'
import type { Connection, PlatformLocation } from '../../../contract/shapes/connection.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { textsOf, texts } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { useConnections, useLocations } from '../../lib/service/queries.ts'
import { collect, useResource } from '../../lib/service/resource.ts'
import { takeIn } from './take-in.ts'
import { SETUP } from '../../locales/work/setup.ts'
import '../../styles/operator.css'
import { UploadMany } from '../connections/bring-files.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { MachineForm } from '../machines/machine-form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'

const MACHINES_MAX = 2000
const SYNC_TIMEOUT_MS = 180_000

export function SetupMachines() {
  const t = textsOf(SETUP).machines
  const connections = useConnections()
  const [isAdding, setAdding] = useState(false)
  const locations = useLocations()
  return (
    <>
      <PageHeader
        title={texts().pages.setupMachines}
        lead={t.lead}
        back={{ href: '/machines', text: texts().pages.machines }}
        actions={
          <Button needs="putLocation" icon="plus" onClick={() => setAdding(true)}>
            {t.byHand}
          </Button>
        }
      />
      <Loaded resource={connections}>
        {(list) => {
          const platforms = list.filter(({ capabilities }) => capabilities.includes('locations'))
          return platforms.length === 0 ? (
            <Empty icon="machines" title={t.noPlatform}>
              <p>{t.noPlatformText}</p>
              <ButtonLink href="/connections">{texts().pages.connections}</ButtonLink>
            </Empty>
          ) : (
            <div class="stack">
              {platforms.map((platform) => (
                <PlatformMachines
                  key={platform.namespace}
                  platform={platform}
                  onAdded={() => void locations.reload()}
                />
              ))}
            </div>
          )
        }}
      </Loaded>
      {isAdding ? <MachineForm onClose={() => setAdding(false)} onSaved={() => void locations.reload()} /> : null}
    </>
  )
}

interface PlatformProps {
  readonly platform: Connection
  readonly onAdded: () => void
}

interface Typed {
  readonly name: string
  readonly address: string
}

function PlatformMachines({ platform: { namespace, adapter, managed }, onAdded }: PlatformProps) {
  const t = textsOf(SETUP).machines
  const found = useResource(`machines of ${namespace}`, (signal) =>
    collect(client.all.listPlatformLocations({ params: { namespace }, query: { limit: 100 }, signal }), MACHINES_MAX),
  )
  // Those of files are the owner's to take in: it changes the settings of the connection.
  const mayAdd = ({ entry }: PlatformLocation) =>
    may('putLocation') && (!entry || (managed === 'store' && may('changeConnection')))
  return (
    <Section title={namespace} note={texts().connections.roles.machine}>
      {adapter === 'eva-dts' && managed === 'store' && may('uploadFile') ? (
        <UploadMany namespace={namespace} kind="dex" onUsed={() => void found.reload()} />
      ) : null}
      <Loaded resource={found}>
        {(list) => {
          const open = list.filter(({ registered }) => !registered)
          return (
            <div class="stack">
              {list.length > open.length ? <p class="note">{t.registered(list.length - open.length)}</p> : null}
              {open.length > 0 ? (
                <Found
                  namespace={namespace}
                  machines={open}
                  mayAdd={mayAdd}
                  onAdded={() => {
                    void found.reload()
                    onAdded()
                  }}
                />
              ) : list.length > 0 ? (
                <Notice
                  tone="ok"
                  title={t.allAdded}
                  action={<ButtonLink href="/setup/selections">{t.next}</ButtonLink>}
                >
                  {t.allAddedText}
                </Notice>
              ) : (
                <p>{adapter === 'eva-dts' ? t.noFiles : t.none}</p>
              )}
            </div>
          )
        }}
      </Loaded>
    </Section>
  )
}

interface FoundProps {
  readonly namespace: string
  readonly machines: readonly PlatformLocation[]
  readonly mayAdd: (machine: PlatformLocation) => boolean
  readonly onAdded: () => void
}

function Found({ namespace, machines, mayAdd, onAdded }: FoundProps) {
  const t = textsOf(SETUP).machines
  const [off, setOff] = useState<ReadonlySet<string>>(new Set())
  const [typed, setTyped] = useState<ReadonlyMap<string, Typed>>(new Map())
  const typedOf = ({ id, name, address = '' }: PlatformLocation): Typed => typed.get(id) ?? { name, address }
  const set = (machine: PlatformLocation, change: Partial<Typed>) =>
    setTyped(new Map([...typed, [machine.id, { ...typedOf(machine), ...change }]]))
  const ticked = machines.filter((machine) => !off.has(machine.id) && mayAdd(machine))
  const isReady = ticked.length > 0 && ticked.every((machine) => typedOf(machine).name.trim() !== '')
  const add = useAction(async () => {
    const entries = ticked.flatMap((machine) =>
      machine.entry ? [{ ...machine.entry, name: typedOf(machine).name.trim() }] : [],
    )
    if (entries.length > 0) await takeIn(namespace, entries)
    try {
      for (const machine of ticked) {
        const { name, address } = typedOf(machine)
        const place = address.trim() === '' ? {} : { profile: { address: address.trim() } }
        await client.putLocation({ params: { id: machine.id }, body: { name: name.trim(), namespace, ...place } })
      }
      await client.syncLocations({ body: {}, timeoutMs: SYNC_TIMEOUT_MS })
    } finally {
      onAdded()
    }
  })
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void add.run()
      }}
    >
      <DataTable
        class="found-machines"
        rows={machines}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t.machine,
            cell: (machine) => (
              <label class="line tick">
                <input
                  type="checkbox"
                  checked={!off.has(machine.id) && mayAdd(machine)}
                  disabled={!mayAdd(machine)}
                  onChange={({ currentTarget: { checked } }) =>
                    setOff(new Set(checked ? [...off].filter((id) => id !== machine.id) : [...off, machine.id]))
                  }
                />
                <span>{machine.id}</span>
              </label>
            ),
          },
          {
            title: texts().machineForm.name,
            cell: (machine) => (
              <Field
                label={t.nameOf(machine.id)}
                hideLabel
                value={typedOf(machine).name}
                maxLength={128}
                onInput={(name) => set(machine, { name })}
                error={off.has(machine.id) || typedOf(machine).name.trim() !== '' ? undefined : t.nameNeeded}
              />
            ),
          },
          {
            title: t.address,
            cell: (machine) => (
              <Field
                label={t.addressOf(machine.id)}
                hideLabel
                value={typedOf(machine).address}
                maxLength={500}
                onInput={(address) => set(machine, { address })}
              />
            ),
          },
        ]}
      />
      {machines.some((machine) => !mayAdd(machine)) ? <p class="note">{t.ownerAdds}</p> : null}
      {add.error === undefined ? null : <Failure error={add.error} />}
      <div class="line">
        <Button kind="primary" type="submit" busy={add.busy} disabled={!isReady} onClick={() => {}}>
          {t.add(ticked.length)}
        </Button>
      </div>
    </form>
  )
}
