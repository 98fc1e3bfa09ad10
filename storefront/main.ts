import type { EventKind, ShopperEvent } from '../domain/event.ts'
import type { ScriptConfig } from '../domain/script-config.ts'
import { watchActs } from './acts.ts'
import { waiting } from './beacon.ts'
import { stampCart, unstampCart, watchCart } from './cart.ts'
import { isRefused } from './consent.ts'
import { act, markApplied, recogniseVisitor, visitPage, type Page, type TagFacts, type VisitorMemory } from './core.ts'
import { cover, guarded, on } from './guard.ts'
import { forgetCookie, keep, keepId, recall } from './memory.ts'
import type { Parts } from './parts.ts'
import { loadPreview, previewToken } from './preview-link.ts'
import { openQueue, stopQueue } from './queue.ts'
import { keys, remove } from './storage.ts'

/** Replaced by the shop's configuration, and by the parts its tests need, when its script is published. */
declare const __TWINSHELF_CONFIG__: ScriptConfig
declare const __TWINSHELF_PARTS__: Parts
declare global {
  interface Document { readonly prerendering?: boolean }
}

function start(config: ScriptConfig, parts: Parts): void {
  if (window.twinshelf?.version) return
  window.twinshelf = { version: '1' }
  const token = previewToken()
  if (token) loadPreview(config.preview, token)
  else if (isRefused()) forget()
  else if (!isFramedElsewhere()) takePart(config, parts, (document.currentScript?.dataset ?? {}) as TagFacts)
}

function takePart(config: ScriptConfig, parts: Parts, facts: TagFacts): void {
  const { tests } = config
  const applied = new Set<string>()
  let watching: ReturnType<NonNullable<Parts['show']>> | undefined
  const page = (): Omit<Page, 'canRedirect'> => ({ url: location.href, referrer: document.referrer, now: Date.now(), newId, facts })

  const begin = (): void => {
    const known = recall()
    const memory = recogniseVisitor(known, page())
    const visit = visitPage(config, memory, { ...page(), canRedirect: () => memory === known || keepId(memory) }, parts)
    const { events, redirect, referrer, tested } = visit
    /** What is known by now: other tabs, and changes that found their element, may have added to it. */
    const latest = (): VisitorMemory => {
      const memory = recogniseVisitor(recall(), page())
      applied.forEach(test => markApplied(memory, test))
      return memory
    }
    if (redirect) cover()
    else watching ??= parts.show?.(visit, test => applied.add(test), facts, memory)
    parts.api?.(tests, memory, latest, facts, tested, record, parts)
    if (document.prerendering) {
      // Drawn ahead of being looked at, if it ever is: it is in its arm now, and is counted when it is shown.
      if (memory !== known) keepId(memory)
      return on('prerenderingchange', begin)
    }

    const queue = openQueue(config, latest)
    const write = (memory: VisitorMemory, events: ShopperEvent[]): void => {
      keep(memory)
      events.forEach(event => queue.add(waiting(memory, event)))
    }
    if (redirect) {
      write(memory, events)
      // Sent on arrival too; but the variant may be on another host, or be closed before it has loaded.
      queue.sendNow()
      return location.replace(redirect)
    }
    if (referrer !== undefined && !config.keepsReferrer) Object.defineProperty(document, 'referrer', { configurable: true, get: () => referrer })

    let isOver = false
    let isCounted = false
    // Storage is slow: counting waits until the arm is on the page, or until the page is left, whichever is first.
    const count = guarded(() => {
      if (isCounted || isOver) return
      isCounted = true
      write(memory, events)
      stampCart()
    })
    function record(kind: EventKind, tests?: string[]): void {
      count()
      if (isOver) return
      const memory = latest()
      write(memory, [act(memory, page(), kind, tests)])
    }
    const leave = (): void => {
      count()
      queue.sendNow()
    }
    on('DOMContentLoaded', count)
    if (document.body) setTimeout(count)
    watchCart(() => record('cart'))
    watchActs(tested, record, () => {
      count()
      watching?.forEach(watch => watch?.())
    })
    on('pagehide', leave)
    on('visibilitychange', () => document.hidden ? leave() : queue.resume())
    on<PageTransitionEvent>('pageshow', ({ persisted }) => { if (persisted) record('view') })
    on('shopprivacychange', () => {
      if (!isRefused()) return
      isOver = true
      forget()
    })
  }
  begin()
}

/** Nothing of ours stays, in the browser or in the cart. */
function forget(): void {
  stopQueue()
  const ours = keys().filter(key => key.startsWith('_ts'))
  if (ours[0]) unstampCart()
  ours.forEach(remove)
  forgetCookie()
}

/** Another site's frame, an editor for one, is not a shopper's visit. A frame of the shop's own has its element. */
const isFramedElsewhere = (): boolean => top !== self && !frameElement

/** Fifty random bits and the time, of characters that every id may have: one a shop. Nobody gains by guessing one. */
const newId = (): string => Math.random().toString(36).slice(2) + Date.now().toString(36)

guarded(start)(__TWINSHELF_CONFIG__, __TWINSHELF_PARTS__)
