import type { ConsentRule } from '../../domain/events/consent.ts'
import { type ConsentFound, consentWords } from '../../domain/stores/shop-consent.ts'

/** What the shop's own consent settings mean for tests; nothing where the platform has none. */
export const ConsentFacts = ({ found, rule }: { found: ConsentFound; rule: ConsentRule }) =>
  found && (
    <>
      {('problem' in found
        ? [`Your shop’s consent settings could not be read. ${found.problem}`]
        : consentWords(found, rule)
      ).map(words => (
        <p key={words} class="note">
          {words}
        </p>
      ))}
    </>
  )
