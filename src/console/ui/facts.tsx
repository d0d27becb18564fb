import type { ComponentChildren } from 'preact'

export const Facts = ({ items }: { readonly items: readonly (readonly [string, ComponentChildren] | undefined)[] }) => (
  <dl class="facts">
    {items
      .filter((fact) => fact !== undefined)
      .map(([name, value]) => (
        <div key={name}>
          <dt class="note">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
