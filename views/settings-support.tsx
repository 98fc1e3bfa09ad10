import { DraftField } from './draft-field.tsx'
import { Facts, type Fact } from './facts.tsx'
import { Icon } from './icons.tsx'
import { SettingsNav } from './settings-nav.tsx'

type SupportProps = {
  /** Null where none is configured. */
  email: string | null
  docs: string
  /** What whoever helps will ask for. */
  facts: Fact[]
}

/** A letter to us that ends in what we will ask for. */
export const letterTo = (email: string, lines: string[]): string =>
  `mailto:${email}?subject=${encodeURIComponent('Question about Twinshelf')}&body=${encodeURIComponent(`\n\n--\n${lines.join('\n')}`)}`

/** How to reach us, and what to tell us. */
export function Support({ email, docs, facts }: SupportProps) {
  const lines = facts.map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      <SettingsNav current="support" />
      <div class="page-head"><h1>Support</h1></div>
      <div class="columns">
        <section class="card" aria-labelledby="reach">
          <div class="card-head"><h2 id="reach">Write to us</h2></div>
          <div class="card-body stack">
            {email
              ? <>
                <p>Write what you did, what you expected and what came instead. The letter below already holds what we will ask for.</p>
                <div class="row"><a class="button" href={letterTo(email, lines)} target="_top">Write to {email}</a></div>
              </>
              : <p>No support address is set up on this server. Whoever runs it can set one (<code>SUPPORT_EMAIL</code>); until then the guide is what there is.</p>}
          </div>
        </section>
        <section class="card" aria-labelledby="read">
          <div class="card-head"><h2 id="read">Read</h2></div>
          <div class="card-body stack">
            <p>The guide says how tests are built and launched, what each figure of a report means, and when to trust it.</p>
            <div class="row"><a class="button secondary" href={docs} target="_blank" rel="noopener">Open the guide<Icon name="external" /></a></div>
          </div>
        </section>
      </div>
      <section class="card" aria-labelledby="facts">
        <div class="card-head"><h2 id="facts">What we will ask for</h2></div>
        <Facts facts={facts} />
        <div class="card-body">
          <DraftField name="facts-text" label="The same, to copy" problems={[]} control={({ id }) => <textarea id={id} class="code" rows={lines.length} readOnly value={lines.join('\n')} />} />
        </div>
      </section>
    </>
  )
}
