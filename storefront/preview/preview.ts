import {
  previewParameter,
  type ScriptChange,
  type ScriptConfig,
  type ScriptTest,
} from '../../domain/script/script-config.ts'
import { publishedChange } from '../../domain/script/published-change.ts'
import { answerShop } from '../api.ts'
import { changeActs } from '../change-acts.ts'
import { applyChanges } from '../changes.ts'
import { isTested, pathOf, type VisitorMemory } from '../core.ts'
import { cover, guarded, on } from '../guard.ts'
import { editorWindow, serveEditor, whenThere } from '../picker/picker-session.ts'
import { holdsCode } from './preview-code.ts'
import { showBar } from './preview-bar.ts'
import { previewToken, rememberPreview } from './preview-link.ts'
import { pageFacts, placeToBe } from './preview-place.ts'
import { showPrices } from '../prices.ts'

/**
 * The preview script, which the engine serves for one signed token. It shows one arm of one test,
 * whatever split and audience say, and records nothing.
 */
declare const __TWINSHELF_CONFIG__: ScriptConfig

/**
 * How long a covered page waits until the editor says what its changes are. A page that was
 * reloaded waits longer: the editor caused the reload, so it is there, and its changes may be newer
 * than the saved ones. Milliseconds.
 */
const timeout = 1500,
  timeoutAgain = 7000

function preview({ tests: [test], previewing }: ScriptConfig): void {
  if (!previewing || !test) return
  const { arm, editor: origin } = previewing
  const token = previewToken()
  if (token) rememberPreview(token)
  const here = new URL(location.href)
  const facts = pageFacts()
  const elsewhere = placeToBe(test, arm, here, facts)
  if (elsewhere) {
    cover()
    return location.replace(elsewhere.href)
  }
  if (test.api) answerPreview(test, arm)
  if (arm && test.prices && isTested(test, pathOf(here.href))) showPrices([test], facts, '')

  // A draft that names no page yet is shown on every page that the merchant opens.
  const isHere = arm === 1 && (test.pages.length === 0 || isTested(test, pathOf(here.href)))
  const show = (changes: ScriptChange[] = []): void => {
    const made = changes.filter(
      change =>
        (!change.pages || isTested({ pages: change.pages }, pathOf(here.href))) &&
        !holdsCode(change),
    )
    if (isHere && made.length > 0)
      applyChanges(changeActs, [{ id: test.id, changes: made.map(publishedChange) }], [])
  }
  const bar = (): void => whenThere(() => showBar(previewing))
  const editor = origin ? editorWindow() : null
  if (origin && editor) edit(editor, origin, test.changes, show, bar)
  else {
    show(test.changes)
    bar()
  }
}

/** Tells the shop's code the arm that is previewed. Nothing is stored when the code asks. */
function answerPreview({ isManual: _, ...test }: ScriptTest, arm: 0 | 1): void {
  const memory: VisitorMemory = {
    visitor: 'preview',
    born: 0,
    session: { session: '', isNew: true, landing: '', referrer: '' },
    tests: { [test.id]: [arm, 0] },
  }
  answerShop(
    [test],
    memory,
    () => memory,
    {},
    [],
    () => {},
    {},
  )
}

/**
 * Runs in the editor's frame, or in the window that the editor opened. Shows the changes as they
 * are in the editor, and lets the merchant pick elements.
 */
function edit(
  editor: Window,
  origin: string,
  saved: ScriptChange[] | undefined,
  show: (changes: ScriptChange[] | undefined) => void,
  bar: () => void,
): void {
  const uncover = cover()
  const isAgain =
    (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)
      ?.type === 'reload'
  let isShown = false
  const settle = guarded((changes: ScriptChange[] | undefined, after: () => void) => {
    if (isShown) return
    isShown = true
    // What the selectors find is counted on the control's page, which must be parsed completely
    // first.
    whenThere(() => {
      session.remember(
        (changes ?? []).flatMap(({ selector, kind, value }) =>
          kind === 'move' ? [selector, value] : [selector],
        ),
      )
      show(changes)
      uncover()
      after()
    })
  })
  const session = serveEditor(editor, origin, (changes, comeBack) => {
    // The editor answered too late, and what is shown differs from what it has.
    if (isShown && !isAgain && changes && said(changes) !== said(saved ?? [])) location.reload()
    else settle(changes ?? saved, comeBack)
  })
  // The editor's script may not run: then this is a preview like any other.
  setTimeout(() => settle(saved, bar), isAgain ? timeoutAgain : timeout)
  keepAlong()
}

const said = (changes: ScriptChange[]): string => JSON.stringify(changes.map(publishedChange))

/** Makes links lead to the same arm, even where two frames of the editor share one memory. */
function keepAlong(): void {
  const token = previewToken()
  if (!token) return
  on<MouseEvent>('click', event => {
    const link = (event.composedPath()[0] as Element).closest?.(
      'a[href]',
    ) as HTMLAnchorElement | null
    if (!link || link.origin !== location.origin || !/^https?:$/.test(link.protocol)) return
    const url = new URL(link.href)
    if (url.pathname + url.search === location.pathname + location.search) return
    url.searchParams.set(previewParameter, token)
    link.href = url.href
  })
}

guarded(preview)(__TWINSHELF_CONFIG__)
