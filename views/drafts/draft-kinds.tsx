import { closedMessage, opensWith } from '../../domain/access.ts'
import { paths } from '../../domain/paths.ts'
import {
  kindCapability,
  kindWords,
  type TestKind,
  testKinds,
} from '../../domain/tests/test-kind.ts'
import { type Lack, lackWords } from '../../domain/platform/kind-needs.ts'
import { ClosedAction } from '../closed.tsx'
import { Icon } from '../icons.tsx'
import { KindDrawing } from './kind-drawings.tsx'

const uses: Record<TestKind, { what: string; example: string }> = {
  PageElement: {
    what: 'Change a text, a picture, a colour or a whole element on the pages you choose.',
    example: 'Say “ships today” on the add to cart button.',
  },
  PageContent: {
    what: 'Change the sections and texts of one page.',
    example: 'Open the home page with this season’s collection.',
  },
  Template: {
    what: 'Show another template on the pages that use one of yours.',
    example: 'Put the reviews above the description on product pages.',
  },
  Theme: {
    what: 'Show another theme of your shop on every page.',
    example: 'Try the redesign before you publish it.',
  },
  UrlRedirect: {
    what: 'Send half of a page’s visitors to another page of your shop.',
    example: 'Compare a new gift guide with the current one.',
  },
  Price: {
    what: 'Show and charge another price for the products you choose.',
    example: 'Sell the mugs at $29 instead of $32.',
  },
  Api: {
    what: 'Your own code asks which arm a visitor is in, and shows what you built.',
    example: 'Sort the search results differently.',
  },
}
/** Kinds that need no code and are used most come first. */
const order = [
  'PageElement',
  'PageContent',
  'Template',
  'Theme',
  'UrlRedirect',
  'Price',
  'Api',
] as const satisfies TestKind[]

/**
 * The first question of a new draft: what kind of test? Each card makes the draft and opens it; one
 * that is closed to the store says what opens it.
 */
export function DraftKinds({
  open,
  lacking = {},
  refused,
  kinds = order,
}: {
  open: readonly TestKind[]
  /** Why the shop cannot run some kinds, whatever the plan. */
  lacking?: Partial<Record<TestKind, Lack>>
  /** The kind that was chosen and refused. */
  refused?: TestKind
  kinds?: readonly TestKind[]
}) {
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.home()}>
          ← Tests
        </a>
        <h1>Create a test</h1>
        <p class="note page-facts">
          What should be different for half of the visitors? Nothing goes live before you launch it.
        </p>
      </div>
      {refused && lacking[refused] && (
        <div class="banner" data-tone="bad" role="alert">
          <Icon name="warning" />
          <span>
            <strong>No draft was created.</strong> {lackWords(lacking[refused])}
          </span>
        </div>
      )}
      <ul class="kind-grid plain-list" aria-label="Kinds of test">
        {kinds.map(kind => (
          <li key={kind}>
            {lacking[kind] ? (
              <ImpossibleKind kind={kind} lack={lacking[kind]} />
            ) : open.includes(kind) ? (
              <OpenKind kind={kind} />
            ) : (
              <ClosedKind kind={kind} />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

/** The whole card is the button. */
const OpenKind = ({ kind }: { kind: TestKind }) => (
  <form class="card kind-card" method="post" action={paths.draft()}>
    <input type="hidden" name="kind" value={kind} />
    <KindDrawing kind={kind} />
    <h2>
      <button aria-label={`Create ${kind === 'Api' ? 'an' : 'a'} ${kindWords(kind)} test`}>
        {testKinds[kind].label}
      </button>
    </h2>
    <p>{uses[kind].what}</p>
    <p class="note">{uses[kind].example}</p>
  </form>
)

/** A kind that the shop cannot run, with what would make it possible. No plan opens it. */
const ImpossibleKind = ({ kind, lack }: { kind: TestKind; lack: Lack }) => (
  <section
    class="card kind-card"
    data-closed
    aria-label={`${testKinds[kind].label}, not possible in your shop`}
  >
    <KindDrawing kind={kind} />
    <h2>
      {testKinds[kind].label}
      <span class="badge">Not in your shop</span>
    </h2>
    <p>{uses[kind].what}</p>
    <p class="note">{lackWords(lack)}</p>
  </section>
)

function ClosedKind({ kind }: { kind: TestKind }) {
  const capability = kindCapability[kind]!
  const level = opensWith(capability)
  return (
    <section
      class="card kind-card"
      data-closed
      aria-label={`${testKinds[kind].label}, not available yet`}
    >
      <KindDrawing kind={kind} />
      <h2>
        {testKinds[kind].label}
        <span class="badge">{level ? `${level} plan` : 'Not enabled'}</span>
      </h2>
      <p>{uses[kind].what}</p>
      <p class="note">{closedMessage(capability)}</p>
      <ClosedAction capability={capability} at={paths.draft()} class="kind-opens" />
    </section>
  )
}
