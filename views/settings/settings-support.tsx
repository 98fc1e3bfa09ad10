import { paths } from '../../domain/paths.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { Icon } from '../icons.tsx'
import { SettingsNav } from '../settings-nav.tsx'

type SupportProps = {
  /** Null where none is configured. */
  email: string | null
  docs: string
  /** Facts that support will ask for. */
  facts: [name: string, value: string][]
}

/** A `mailto:` link to us. The message ends with `lines`, which we would ask for. */
export const letterTo = (email: string, lines: string[]): string =>
  `mailto:${email}?subject=${encodeURIComponent('Question about Twinshelf')}&body=${encodeURIComponent(`\n\n--\n${lines.join('\n')}`)}`

/** What merchants look for most, and the part of our guide that answers it. */
const topics = [
  ['build-a-test', 'Build a test'],
  ['read-the-result', 'Read the result'],
  ['why-figures-differ', 'Why figures differ'],
  ['pause-resume-end', 'Pause, resume, end'],
  ['who-counts', 'Who counts'],
  ['plan-and-billing', 'Plan and billing'],
  ['uninstall', 'Uninstall'],
] as const

/** The page that says how to reach us, and what to tell us. */
export function Support({ email, docs, facts }: SupportProps) {
  const lines = facts.map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      <SettingsNav current="support" />
      <div class="page-head">
        <h1>Support</h1>
      </div>
      <div class="columns">
        <section class="card" aria-labelledby="reach">
          <div class="card-head">
            <h2 id="reach">Contact us</h2>
          </div>
          <div class="card-body stack">
            {email ? (
              <>
                <p>
                  Tell us what you did, what you expected and what happened. The email already
                  contains the details below.
                </p>
                <div class="row">
                  <a class="button" href={letterTo(email, lines)} target="_top">
                    Email {email}
                  </a>
                </div>
              </>
            ) : (
              <p>
                Support by email is not set up here yet. The guide answers most questions. For
                anything else, send the details below to the person who gave you Twinshelf.
              </p>
            )}
            <DraftField
              name="facts-text"
              label="Details for support"
              help="Copy these into your message."
              problems={[]}
              control={({ id, ...bound }) => (
                <textarea
                  {...bound}
                  id={id}
                  name={undefined}
                  class="code"
                  rows={lines.length + 2}
                  readOnly
                  value={lines.join('\n')}
                />
              )}
            />
          </div>
        </section>
        <section class="card" aria-labelledby="read">
          <div class="card-head">
            <h2 id="read">Guide</h2>
          </div>
          <div class="card-body stack">
            <p>How to build and launch tests, and what each figure of a report means.</p>
            {docs === paths.help() && (
              <ul class="plain-list">
                {topics.map(([id, title]) => (
                  <li key={id}>
                    <a href={`${docs}#${id}`} target="_blank" rel="noopener">
                      {title}
                    </a>
                  </li>
                ))}
              </ul>
            )}
            <div class="row">
              <a class="button secondary" href={docs} target="_blank" rel="noopener">
                Open the guide
                <Icon name="external" />
              </a>
            </div>
          </div>
        </section>
      </div>
    </>
  )
}
