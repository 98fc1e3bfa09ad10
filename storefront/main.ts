import type { EventKind, Vitals } from '../domain/events/event.ts'
import type { ScriptConfig } from '../domain/script/script-config.ts'
import { watchActs } from './acts.ts'
import { stampCart, unstampCart, watchCart } from './cart.ts'
import { isRefused } from './consent.ts'
import {
  act,
  markApplied,
  recogniseVisitor,
  visitPage,
  type Acting,
  type TagFacts,
  type VisitorMemory,
} from './core.ts'
import { cover, guarded, on } from './guard.ts'
import { forgetCookie, keepId, recall } from './memory.ts'
import type { Parts } from './parts.ts'
import { loadPreview, previewToken } from './preview/preview-link.ts'
import { openQueue } from './queue.ts'
import { keys, remove } from './storage.ts'

/**
 * When the script is published, these are replaced by the shop's configuration and by the parts
 * that its tests need.
 */
declare const __TWINSHELF_CONFIG__: ScriptConfig
declare const __TWINSHELF_PARTS__: Parts

const start = (config: ScriptConfig, parts: Parts): unknown => {
  if (window.twinshelf?.version) return
  window.twinshelf = { version: '1' }
  const token = previewToken()
  if (token) return loadPreview(config.preview + token)
  if (isRefused()) return forget()
  if (isFramedElsewhere()) return
  const facts = (document.currentScript?.dataset ?? {}) as TagFacts
  const { tests } = config
  const applied: string[] = []
  // Time in the background is not loading time, so a page that starts hidden is not measured. A
  // prerendered page starts hidden too.
  const isBehind = document.hidden
  let watching: ReturnType<NonNullable<Parts['showArms']>> | undefined
  const page = (): Acting => ({
    url: location.href,
    referrer: __TWINSHELF_SWITCHES__.isSparing ? '' : document.referrer,
    now: Date.now(),
    // Fifty random bits and the time, in characters that every id may have: unique within a shop.
    // Nobody gains anything by guessing an id.
    newId: () => Math.random().toString(36).slice(2) + Date.now(),
    facts,
  })

  const begin = (): void => {
    const known = recall()
    const memory = recogniseVisitor(known, page())
    const canRedirect = (): unknown => memory === known || keepId(memory)
    const visit = visitPage(config, memory, { ...page(), canRedirect }, parts)
    const { events, redirect, referrer, tested } = visit
    /**
     * What is known now: other tabs may have added to the memory. Tests whose changes found their
     * elements are marked as applied each time, because this page's beacons are built from the
     * result.
     */
    const latest = (memory = recogniseVisitor(recall(), page())): VisitorMemory => {
      applied.forEach(test => markApplied(memory, test))
      return memory
    }
    if (redirect) cover()
    else watching ??= parts.showArms?.(visit, applied, facts, memory)
    parts.answerShop?.(tests, memory, latest, facts, tested, record, parts)
    if (document.prerendering) {
      // The page is prerendered and may never be seen. It shows its arm now, and is counted when it
      // becomes visible.
      canRedirect()
      return on('prerenderingchange', begin)
    }

    const queue = openQueue(config, latest)
    if (redirect) {
      queue.store(memory, events)
      // The next page sends these events too, but it may be closed before it has loaded, or the
      // shop may redirect it to another host.
      queue.sendNow()
      return location.replace(redirect)
    }
    if (!__TWINSHELF_SWITCHES__.keepsReferrer && referrer !== undefined)
      Object.defineProperty(document, 'referrer', { configurable: true, value: referrer })

    let isCounted: boolean | undefined
    let speed: ReturnType<NonNullable<Parts['watchSpeed']>> | undefined
    // Storage is slow. Counting waits until the arm is painted or until the page is left, whichever
    // comes first.
    const count = guarded(() => {
      if (isCounted) return
      isCounted = true
      queue.store(latest(memory), events)
      stampCart()
      if (!isBehind) speed = parts.watchSpeed?.()
    })
    function record(kind: EventKind, tests?: string[], product?: string, vitals?: Vitals): void {
      count()
      // After a refusal, here or in another tab, there is no visitor to record anything for.
      if (isRefused() || !recall()) return
      const memory = latest()
      queue.store(memory, [act(memory, page(), kind, tests, product, vitals)])
    }
    const leave = (): void => {
      count()
      // Recorded once, and only for a page of which something was painted.
      const vitals = speed?.()
      speed = undefined
      if (tested[0] && vitals?.lcp) record('vitals', tested, undefined, vitals)
      queue.sendNow()
    }
    // A hidden page paints no frames.
    const countLater = (): unknown =>
      isBehind ? setTimeout(count) : requestAnimationFrame(() => void setTimeout(count))
    if (document.body) countLater()
    on('DOMContentLoaded', countLater)
    watchCart(record)
    watchActs(tested, record, () => watching?.forEach(watch => watch?.()))
    on('pagehide', leave)
    on('visibilitychange', () => document.hidden && leave())
    on<PageTransitionEvent>('pageshow', ({ persisted }) => persisted && record('view'))
    on('shopprivacychange', () => {
      if (!isRefused()) return
      isCounted = true
      forget()
    })
  }
  begin()
}

/** Removes everything that we stored, in the browser and in the cart. */
function forget(): void {
  const ours = keys('_ts')
  if (ours[0]) unstampCart()
  ours.forEach(remove)
  forgetCookie()
}

/**
 * A page in a frame of another site, for example an editor, is not a shopper's visit. In a frame on
 * the shop's own page, `frameElement` is set.
 */
const isFramedElsewhere = (): boolean => top !== self && !frameElement

guarded(start)(__TWINSHELF_CONFIG__, __TWINSHELF_PARTS__)
