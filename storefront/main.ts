import type { EventKind, ShopperEvent } from '../domain/event.ts'
import type { ScriptConfig } from '../domain/script-config.ts'
import { watchActs } from './acts.ts'
import { waiting } from './beacon.ts'
import { stampCart, unstampCart, watchCart } from './cart.ts'
import { applyChanges } from './changes.ts'
import { isRefused } from './consent.ts'
import { act, markApplied, recogniseVisitor, visitPage, type Page, type VisitorMemory } from './core.ts'
import { cover, guarded, on } from './guard.ts'
import { forgetVisitor, keep, keepId, recall } from './memory.ts'
import { loadPreview, previewToken } from './preview-link.ts'
import { forgetQueue, openQueue } from './queue.ts'

/** Replaced by the shop's configuration when its script is published. */
declare const __TWINSHELF_CONFIG__: ScriptConfig
declare global {
  interface Window { twinshelf?: { version: string } }
  interface Document { readonly prerendering?: boolean }
}

function start(config: ScriptConfig): void {
  if (window.twinshelf?.version) return
  window.twinshelf = { version: '1' }
  const token = previewToken()
  if (token) loadPreview(config.preview, token)
  else if (isRefused()) forget()
  else if (!isFramedElsewhere()) takePart(config)
}

function takePart(config: ScriptConfig): void {
  const applied = new Set<string>()
  let watchAgain: (() => void) | undefined
  const page = (): Page => ({ url: location.href, referrer: document.referrer, now: Date.now(), newId })

  const begin = (): void => {
    const known = recall()
    const memory = recogniseVisitor(known, page())
    const { changes, events, redirect, referrer, tested } = visitPage(config, memory, { ...page(), canRedirect: () => memory === known || keepId(memory) })
    if (config.debug) console.debug('twinshelf', memory, redirect)
    if (redirect) cover()
    else if (changes.length && !watchAgain) watchAgain = applyChanges(changes, test => applied.add(test))
    if (document.prerendering) {
      // Drawn ahead of being looked at, if it ever is: it is in its arm now, and is counted when it is shown.
      if (memory !== known) keepId(memory)
      return on('prerenderingchange', begin)
    }

    /** What is known by now: other tabs, and changes that found their element, may have added to it. */
    const latest = (): VisitorMemory => {
      const memory = recogniseVisitor(recall(), page())
      applied.forEach(test => markApplied(memory, test))
      return memory
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
    const record = (kind: EventKind, tests?: string[]): void => {
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
      watchAgain?.()
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

function forget(): void {
  unstampCart()
  forgetQueue()
  forgetVisitor()
}

/** Another site's frame, an editor for one, is not a shopper's visit. A frame of the shop's own has its element. */
const isFramedElsewhere = (): boolean => window.top !== window && !window.frameElement

/** 100 random bits, of characters that every id may have. */
const newId = (): string => [...crypto.getRandomValues(new Uint8Array(20))].map(byte => (byte & 31).toString(32)).join('')

guarded(start)(__TWINSHELF_CONFIG__)
