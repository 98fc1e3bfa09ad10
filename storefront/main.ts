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

/** Replaced by the shop's configuration, and by the parts its tests need, when its script is published. */
declare const __TWINSHELF_CONFIG__: ScriptConfig
declare const __TWINSHELF_PARTS__: Parts

function start(config: ScriptConfig, parts: Parts): void {
  if (window.twinshelf?.version) return
  window.twinshelf = { version: '1' }
  const token = previewToken()
  if (token) loadPreview(config.preview + token)
  else if (isRefused()) forget()
  else if (!isFramedElsewhere()) takePart(config, parts)
}

function takePart(config: ScriptConfig, parts: Parts): void {
  const facts = (document.currentScript?.dataset ?? {}) as TagFacts
  const { tests } = config
  const applied: string[] = []
  // Time in the background is no loading time: such a page is not measured, nor is one drawn ahead.
  const isBehind = document.hidden
  let watching: ReturnType<NonNullable<Parts['showArms']>> | undefined
  const page = (): Acting => ({
    url: location.href,
    referrer: __TWINSHELF_SWITCHES__.isSparing ? '' : document.referrer,
    now: Date.now(),
    // Fifty random bits and the time, of characters that every id may have: one a shop. Nobody gains by guessing one.
    newId: () => Math.random().toString(36).slice(2) + Date.now(),
    facts,
  })

  const begin = (): void => {
    const known = recall()
    const memory = recogniseVisitor(known, page())
    const canRedirect = (): unknown => memory === known || keepId(memory)
    const visit = visitPage(config, memory, { ...page(), canRedirect }, parts)
    const { events, redirect, referrer, tested } = visit
    /** What is known by now: other tabs, and changes that found their element, may have added to it. A stage that is not kept would be lost where the page's own beacons are. */
    const latest = (memory = recogniseVisitor(recall(), page())): VisitorMemory => {
      applied.forEach(test => markApplied(memory, test))
      return memory
    }
    if (redirect) cover()
    else watching ??= parts.showArms?.(visit, applied, facts, memory)
    parts.answerShop?.(tests, memory, latest, facts, tested, record, parts)
    if (document.prerendering) {
      // Drawn ahead of being looked at, if it ever is: it is in its arm now, and is counted when it is shown.
      canRedirect()
      return on('prerenderingchange', begin)
    }

    const queue = openQueue(config, latest)
    if (redirect) {
      queue.store(memory, events)
      // Sent on arrival too; but the variant may be on another host, or be closed before it has loaded.
      queue.sendNow()
      return location.replace(redirect)
    }
    if (!__TWINSHELF_SWITCHES__.keepsReferrer && referrer !== undefined)
      Object.defineProperty(document, 'referrer', { configurable: true, value: referrer })

    let isCounted: boolean | undefined
    let speed: ReturnType<NonNullable<Parts['watchSpeed']>> | undefined
    // Storage is slow: counting waits until the arm is on the page, or until the page is left, whichever is first.
    const count = guarded(() => {
      if (isCounted) return
      isCounted = true
      queue.store(latest(memory), events)
      stampCart()
      if (!isBehind) speed = parts.watchSpeed?.()
    })
    function record(kind: EventKind, tests?: string[], product?: string, vitals?: Vitals): void {
      count()
      // Nobody is known any more where they have refused, in another tab too.
      if (isRefused() || !recall()) return
      const memory = latest()
      queue.store(memory, [act(memory, page(), kind, tests, product, vitals)])
    }
    const leave = (): void => {
      count()
      // Told once, of a page that anything of was painted.
      const vitals = speed?.()
      speed = undefined
      if (tested[0] && vitals?.lcp) record('vitals', tested, undefined, vitals)
      queue.sendNow()
    }
    on('DOMContentLoaded', count)
    if (document.body) setTimeout(count)
    watchCart(record)
    watchActs(tested, record, () => watching?.forEach(watch => watch?.()))
    on('visibilitychange', () => document.hidden && leave())
    on('pagehide', leave)
    on<PageTransitionEvent>('pageshow', ({ persisted }) => persisted && record('view'))
    on('shopprivacychange', () => {
      if (!isRefused()) return
      isCounted = true
      forget()
    })
  }
  begin()
}

/** Nothing of ours stays, in the browser or in the cart. */
function forget(): void {
  const ours = keys('_ts')
  if (ours[0]) unstampCart()
  ours.forEach(remove)
  forgetCookie()
}

/** Another site's frame, an editor for one, is not a shopper's visit. A frame of the shop's own has its element. */
const isFramedElsewhere = (): boolean => top !== self && !frameElement

guarded(start)(__TWINSHELF_CONFIG__, __TWINSHELF_PARTS__)
