import type { ComponentChildren } from 'preact'

export type Fact = [name: string, value: ComponentChildren]

/** Names and values in two columns. A fact without a value is left out. */
export const Facts = ({ facts }: { facts: Fact[] }) => (
  <dl class="card-body facts">
    {facts
      .filter(([, value]) => value)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
