import type { PerArm } from '../arm.ts'
import { good, launchCheck, type LaunchCheck, namesOf } from './launch-check.ts'
import type { TestKind } from './test-kind.ts'
import type { TestTarget } from './test-target.ts'

/**
 * What a browser saw on one page in the preview of one arm. Plain data; the functions below say
 * what it means.
 */
export type PageVisit = {
  path: string
  arm: 0 | 1
  /** HTTP status of the page; null when it did not open. */
  status: number | null
  /** Where the browser ended up: path and query. */
  end: string
  /** The page showed the preview's bar. */
  hasPreview: boolean
  /** `template`, `theme`: as the page gives them (page-facts.ts); '' when it gives none. */
  template: string
  theme: string
  /** Errors of the page's scripts, each once. */
  errors: string[]
  /** By selector: how many elements it finds; -1 when the browser does not accept it. */
  found: Record<string, number>
  /** By selector: a text that differs when its elements look different, to compare the two arms. */
  looks: Record<string, string>
  /** All amounts on the page, in minor units. An amount that occurs twice is listed twice. */
  amounts: number[]
  /** Ids of the hypotheses that the shop's code asked for. */
  asked: string[]
}
export type Visited = {
  kind: TestKind
  selectors: readonly string[]
  /** Number of tested pages that were not opened. */
  unopened: number
  visits: readonly PageVisit[]
  targets: PerArm<TestTarget | null>
  redirectUrl: string
  hypotheses: PerArm<string>
  /**
   * For each product on the visited pages: its path, and both arms' prices of its product variants,
   * in the shop's order.
   */
  prices: readonly { path: string; title: string; variants: readonly PricePair[] }[]
}
type PricePair = { control: number; variant: number }
/** When a selector finds more elements than this, a warning asks whether that is intended. */
const maxElements = 200

/** Makes the lines of the list from a browser's visits to both arms. */
export function visitChecks(visited: Visited): LaunchCheck[] {
  const { visits } = visited
  const closed = visits.filter(({ status }) => status !== 200)
  if (closed.length > 0)
    return [
      launchCheck('opens', 'bad', closedWords(closed), {
        remedy: 'Restore the page or test another one, then check again.',
      }),
    ]
  return [
    good(
      'opens',
      `${visits.length / 2 === 1 ? '1 page opens' : `${visits.length / 2} pages open`} in both arms.`,
    ),
    shownCheck(visited),
    errorsCheck(visits),
    ...(visited.kind === 'PageElement' ? [selectorsCheck(visited)] : []),
    ...(visited.kind === 'Price' ? [pricesCheck(visited)] : []),
    ...(visited.kind === 'Api' ? [apiCheck(visited)] : []),
  ]
}

const armNames = ['control', 'variant'] as const

function closedWords(closed: readonly PageVisit[]): string {
  const [{ path, arm, status }] = closed as [PageVisit, ...PageVisit[]]
  const rest = closed.length > 1 ? ` And ${closed.length - 1} more.` : ''
  return `${path} ${status === null ? 'does not open' : `answers with ${status}`} in the ${armNames[arm]}.${rest}`
}

function shownCheck({ kind, visits, targets, redirectUrl }: Visited): LaunchCheck {
  const bare = visits.find(({ hasPreview }) => !hasPreview)
  if (bare)
    return launchCheck('shown', 'bad', `The Twinshelf script did not run on ${bare.path}.`, {
      remedy:
        'Make sure that the theme includes the script and nothing blocks it, then check again.',
    })
  const lost = visits.find(visit => visit.arm === 1 && !isShown(visit))
  if (lost)
    return launchCheck('shown', 'bad', `${lost.path} does not show the variant.`, {
      remedy: 'Open the variant’s preview to see what it shows instead.',
      field: kind === 'UrlRedirect' ? 'redirectUrl' : 'variant',
    })
  return good('shown', 'The script runs and shows both arms.')

  function isShown({ template, theme, end }: PageVisit): boolean {
    const target = targets[1]
    if (kind === 'UrlRedirect') return plain(end) === plain(redirectUrl)
    if (kind === 'Theme') return theme === '' || theme === target?.themeId
    // Compare only the suffix: the platform has other names for some types, for example "index" for
    // the home page.
    return (
      template === '' ||
      !target?.templateType ||
      template.replace(/^[^.]*\.?/, '') === target.suffix
    )
  }
}
const plain = (path: string): string =>
  path
    .replace(/[?#].*/, '')
    .replace(/(.)\/$/, '$1')
    .toLowerCase()

function errorsCheck(visits: readonly PageVisit[]): LaunchCheck {
  const ofControl = new Set(visits.flatMap(({ arm, errors }) => (arm === 0 ? errors : [])))
  const own = visits.flatMap(({ arm, errors, path }) =>
    arm === 1 ? errors.filter(error => !ofControl.has(error)).map(error => ({ error, path })) : [],
  )
  if (own[0])
    return launchCheck(
      'errors',
      'bad',
      `The variant has ${count(own.length, 'error')} that the control does not have, on ${own[0].path}: ${short(own[0].error)}`,
      { remedy: 'Fix the variant, then check again.' },
    )
  if (ofControl.size > 0)
    return launchCheck(
      'errors',
      'warn',
      `Your shop’s own pages have ${count(ofControl.size, 'error')}, also in the control: ${short([...ofControl][0]!)}`,
      { remedy: 'The test did not cause it. Your theme’s developer can fix it.' },
    )
  return good('errors', 'No errors in either arm.')
}

/**
 * Selectors that find nothing on any visited page of either arm. Both are needed: an element that
 * the variant removes is in the control, and one that it inserts is in the variant.
 */
export const missingOf = ({
  selectors,
  visits,
}: Pick<Visited, 'selectors'> & { visits: readonly Pick<PageVisit, 'found'>[] }): string[] =>
  selectors.filter(selector => !visits.some(({ found }) => (found[selector] ?? 0) > 0))

/** Selectors whose elements look the same in both arms on every visited page. */
const idleOf = ({ selectors, visits }: Pick<Visited, 'selectors' | 'visits'>): string[] =>
  selectors.filter(selector =>
    visits.every(
      ({ path, arm, looks }) =>
        arm === 1 ||
        looks[selector] ===
          visits.find(other => other.path === path && other.arm === 1)?.looks[selector],
    ),
  )

function selectorsCheck({ selectors, visits, unopened }: Visited): LaunchCheck {
  const missing = missingOf({ selectors, visits })
  const most = new Map(
    selectors.map(selector => [
      selector,
      Math.max(0, ...visits.map(({ found }) => found[selector] ?? 0)),
    ]),
  )
  const many = selectors.filter(selector => most.get(selector)! > maxElements)
  const find = missing.length === 1 ? 'finds' : 'find'
  // The element may be on a page that was not opened, unless the selector is not valid.
  const isSure =
    unopened === 0 || missing.some(selector => visits.some(({ found }) => found[selector] === -1))
  if (missing.length > 0 && isSure)
    return launchCheck(
      'selectors',
      'bad',
      `${namesOf(missing)} ${find} nothing on the tested pages.`,
      { remedy: 'Pick the element again, or remove the change.' },
    )
  if (missing.length > 0) {
    const opened = new Set(visits.map(({ path }) => path)).size
    return launchCheck(
      'selectors',
      'warn',
      `${namesOf(missing)} ${find} nothing on the ${opened === 1 ? 'page that was' : `${opened} pages that were`} opened; ${unopened} more ${unopened === 1 ? 'matches' : 'match'}.`,
      {
        remedy:
          'Pick the element again, or open the variant’s preview on a page that has the element and make sure that it changes.',
      },
    )
  }
  const idle = idleOf({ selectors, visits })
  if (idle.length > 0 && idle.length === selectors.length)
    return launchCheck(
      'selectors',
      unopened === 0 ? 'bad' : 'warn',
      'The changes make no difference: both arms look the same on the pages that were opened.',
      { remedy: 'Change what the elements show, or remove these changes.' },
    )
  if (idle.length > 0)
    return launchCheck(
      'selectors',
      'warn',
      `The ${idle.length === 1 ? 'change of' : 'changes of'} ${namesOf(idle)} ${idle.length === 1 ? 'makes' : 'make'} no difference on the pages that were opened.`,
      { remedy: 'Change what the element shows, or remove the change.' },
    )
  if (many.length > 0)
    return launchCheck(
      'selectors',
      'warn',
      `${namesOf(many)} ${many.length === 1 ? 'finds' : 'find'} ${most.get(many[0]!)} elements on one page.`,
      { remedy: 'All of them are changed. Pick a narrower selector to change fewer.' },
    )
  return good(
    'selectors',
    `${selectors.length === 1 ? 'The changed element is' : `All ${selectors.length} selectors are`} found on a tested page.`,
  )
}

function pricesCheck({ prices, visits }: Visited): LaunchCheck {
  const found = prices.map(price => ({ ...price, place: placeOf(price, visits) }))
  const stuck = found.find(({ place }) => place === 'control')
  if (stuck)
    return launchCheck(
      'prices',
      'bad',
      `${stuck.path} still shows the control’s price of ${stuck.title} in the variant.`,
      { remedy: 'The script cannot read how your theme shows prices. Contact support.' },
    )
  const lost = found.find(({ place }) => place === 'nowhere')
  if (lost)
    return launchCheck(
      'prices',
      'warn',
      `The new price of ${lost.title} was not found on ${lost.path}.`,
      { remedy: 'Open the variant’s preview and make sure that it shows the new price.' },
    )
  return good('prices', 'The variant’s prices are shown.')
}

/**
 * Which arm's price a product's page shows in the variant. A page shows the first product variant,
 * and others only when the shopper chooses them.
 */
function placeOf(
  { path, variants }: Visited['prices'][number],
  visits: readonly PageVisit[],
): 'variant' | 'control' | 'nowhere' {
  const changed = variants.filter(({ control, variant }) => control !== variant)
  const times = (arm: 0 | 1, amount: number) =>
    (visits.find(visit => visit.path === path && visit.arm === arm)?.amounts ?? []).filter(
      each => each === amount,
    ).length
  if (changed.length === 0 || changed.some(({ variant }) => times(1, variant) > times(0, variant)))
    return 'variant'
  const [first] = variants
  // The page may show a product variant that costs the same in both arms.
  const isSure =
    first === changed[0] &&
    times(0, first!.control) > 0 &&
    !variants.some(({ control, variant }) => control === variant && control === first!.control)
  return isSure ? 'control' : 'nowhere'
}

function apiCheck({ hypotheses, visits }: Visited): LaunchCheck {
  const asked = new Set(visits.flatMap(visit => visit.asked))
  if (hypotheses.some(id => asked.has(id)))
    return good('api', 'The shop’s code asked for this test.')
  return launchCheck(
    'api',
    'warn',
    `The shop’s code did not ask for this test on ${visits[0]?.path ?? '/'}.`,
    {
      remedy:
        'Add the snippet to the theme. If your code only asks on another page or after a click, you can ignore this.',
    },
  )
}

const count = (n: number, noun: string): string => (n === 1 ? `an ${noun}` : `${n} ${noun}s`)
const short = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text)
