import { closedMessage } from '../domain/access.ts'
import { paths } from '../domain/paths.ts'
import { kindCapability, type TestKind, testKinds } from '../domain/test-kind.ts'
import { ClosedAction } from './closed.tsx'
import { Icon, type IconName } from './icons.tsx'

const uses: Record<TestKind, { icon: IconName; what: string; example: string }> = {
  PageElement: {
    icon: 'text', what: 'Change a text, a picture, a colour or a whole element on the pages you choose.',
    example: 'Say “ships today” on the add to cart button of every product page.',
  },
  PageContent: {
    icon: 'pencil', what: 'Change the sections and texts of one page, side by side with the page as it is.',
    example: 'Open the home page with this season’s collection.',
  },
  Template: {
    icon: 'tests', what: 'Show another template on every page that uses one of yours, or on some of them.',
    example: 'Put the reviews above the description on product pages.',
  },
  Theme: {
    icon: 'half', what: 'Show another theme of your shop on every page.',
    example: 'Try the redesign on half of the visitors before you publish it.',
  },
  UrlRedirect: {
    icon: 'redirect', what: 'Send half of a page’s visitors to another page of your shop.',
    example: 'Test a new gift guide against the present one.',
  },
  Price: {
    icon: 'card', what: 'Show and charge another price for the products you choose.',
    example: 'Sell the mugs at $29 instead of $32.',
  },
  Api: {
    icon: 'settings', what: 'Let your own code ask which side a visitor is on, and show what you have built.',
    example: 'Sort the search results in another way.',
  },
}
/** What needs no code and is in every plan comes first. */
const order = ['PageElement', 'PageContent', 'Template', 'Theme', 'UrlRedirect', 'Price', 'Api'] as const satisfies TestKind[]

/** The first question of a new draft: what kind of test? Each tile makes the draft and opens it; one that is closed to the store says what opens it. */
export function DraftKinds({ open, kinds = order }: { open: readonly TestKind[]; kinds?: readonly TestKind[] }) {
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.home()}>← Tests</a>
        <h1>Create a test</h1>
        <p class="note page-facts">What should be different for half of the visitors? Nothing goes live before you launch it.</p>
      </div>
      <div class="kind-grid">
        {kinds.map(kind => (open.includes(kind) ? (
          <form key={kind} class="card kind-tile" method="post" action={paths.draft()}>
            <input type="hidden" name="kind" value={kind} />
            <h2><Icon name={uses[kind].icon} />{testKinds[kind].label}</h2>
            <p>{uses[kind].what}</p>
            <p class="note">{uses[kind].example}</p>
            <button>Create {article(kind)} {name(kind)} test</button>
          </form>
        ) : <ClosedKind key={kind} kind={kind} />))}
      </div>
    </>
  )
}

/** Abbreviations keep their capitals. */
const name = (kind: TestKind): string => (kind === 'Api' || kind === 'UrlRedirect' ? testKinds[kind].label : testKinds[kind].label.toLowerCase())
const article = (kind: TestKind): string => (kind === 'Api' ? 'an' : 'a')

function ClosedKind({ kind }: { kind: TestKind }) {
  const capability = kindCapability[kind]!
  return (
    <section class="card kind-tile" aria-label={`${testKinds[kind].label}, closed`}>
      <h2><Icon name={uses[kind].icon} />{testKinds[kind].label}</h2>
      <p>{uses[kind].what}</p>
      <p class="note">{closedMessage(capability)}</p>
      <ClosedAction capability={capability} at={paths.draft()} class="button secondary" />
    </section>
  )
}
