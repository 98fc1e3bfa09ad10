import { closedMessage } from '../domain/access.ts'
import { paths } from '../domain/paths.ts'
import { buildableKinds, kindCapability, testKinds, type BuildableKind } from '../domain/test-kind.ts'
import { ClosedAction } from './closed.tsx'
import { Icon, type IconName } from './icons.tsx'

const uses: Record<BuildableKind, { icon: IconName; what: string; example: string }> = {
  PageElement: {
    icon: 'text', what: 'Change a text, a picture, a colour or a whole element on the pages you choose.',
    example: 'Say “ships today” on the add to cart button of every product page.',
  },
  UrlRedirect: {
    icon: 'redirect', what: 'Send half of a page’s visitors to another page of your shop.',
    example: 'Test a new gift guide against the present one.',
  },
}

/** The first question of a new draft: what kind of test? Each tile makes the draft and opens it; one that is closed to the store says what opens it. */
export function DraftKinds({ open }: { open: readonly BuildableKind[] }) {
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.home()}>← Tests</a>
        <h1>Create a test</h1>
        <p class="note page-facts">What should be different for half of the visitors? Nothing goes live before you launch it.</p>
      </div>
      <div class="kind-grid">
        {buildableKinds.map(kind => (open.includes(kind) ? (
          <form key={kind} class="card kind-tile" method="post" action={paths.draft()}>
            <input type="hidden" name="kind" value={kind} />
            <h2><Icon name={uses[kind].icon} />{testKinds[kind].label}</h2>
            <p>{uses[kind].what}</p>
            <p class="note">{uses[kind].example}</p>
            <button>Create a {testKinds[kind].label.replace(/^P/, 'p')} test</button>
          </form>
        ) : <ClosedKind key={kind} kind={kind} />))}
      </div>
    </>
  )
}

function ClosedKind({ kind }: { kind: BuildableKind }) {
  const capability = kindCapability[kind]!
  return (
    <section class="card kind-tile" aria-label={`${testKinds[kind].label}, closed`}>
      <h2><Icon name={uses[kind].icon} />{testKinds[kind].label}</h2>
      <p>{uses[kind].what}</p>
      <p class="note">{closedMessage(capability)}</p>
      <ClosedAction capability={capability} class="button secondary" />
    </section>
  )
}
