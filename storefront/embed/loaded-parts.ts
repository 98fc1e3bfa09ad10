import type { PublishedTest } from '../../domain/script/published-config.ts'
import type { answerShop, manualPlace } from '../api.ts'
import type { channelName } from '../channel.ts'
import type { audienceRule, entryRule } from '../entry.ts'
import type { leaveTheme } from '../leave.ts'
import type { logVisit } from '../log.ts'
import type { showToAll } from '../own-pages.ts'
import type { loadPart } from '../page-apis/load-part.ts'
import type { showPrices } from '../prices.ts'
import type { sendOn } from '../sent.ts'
import type { watchSpeed } from '../speed.ts'
import type { redirectPlace, restorePlace, viewPlace } from '../travel.ts'

/**
 * The parts that are loaded on a page, where a platform delivers our files. This file only says
 * what they are: for each file that it makes, the build replaces it by one that names the parts in
 * that file (scripts/build/build-embed.ts).
 */

export type Changing = { id: string; changes?: unknown }
/** The part for changes, which has the acts of all kinds of changes here. */
export type MakeChanges = (tests: Changing[], applied: string[]) => (() => void) | undefined
export declare const elements: MakeChanges | undefined
export declare const prices: typeof showPrices | undefined
export declare const redirect: typeof redirectPlace | undefined
export declare const view: typeof viewPlace | undefined
export declare const restore: typeof restorePlace | undefined
export declare const leave: typeof leaveTheme | undefined
export declare const pages: ((tests: Changing[]) => Changing[]) | undefined
export declare const always: typeof showToAll | undefined
export declare const entry: typeof entryRule | undefined
export declare const audience: typeof audienceRule | undefined
export declare const channel: typeof channelName | undefined
export declare const api: typeof answerShop | undefined
export declare const manual: typeof manualPlace | undefined
export declare const speed: typeof watchSpeed | undefined
export declare const log: typeof logVisit | undefined
export declare const pageApis: typeof loadPart | undefined
export declare const sent: ((tests: PublishedTest[]) => ReturnType<typeof sendOn>) | undefined
