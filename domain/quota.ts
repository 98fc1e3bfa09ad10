import { changeLimits } from './drafts/dom-selector.ts'
import { maxJobs } from './jobs/job-lane.ts'
import { maxProducts } from './products/product-check.ts'

/**
 * Limits of one store. Normal work does not reach them: they prevent one store, or someone who has
 * its token, from using up what all stores share. Each process counts requests, calls and exports
 * separately.
 */
export const quotas = {
  /** `requests`: API calls per minute. `concurrent`: API calls at the same time. */
  requests: 6_000,
  concurrent: 40,
  /**
   * Calls at the same time that the app makes for a store's pages, and the same number for files.
   * Others wait in a queue (fair-turns.ts).
   */
  appCalls: 16,
  /**
   * Exports at the same time. An export that the client does not read is stopped after two minutes
   * (server-timeouts.ts).
   */
  exports: 2,
  /** Timeout of one SQL statement of a call, in milliseconds (Postgres only). */
  statement: 20_000,
  /** Drafts, and the store's own audiences. */
  drafts: 500,
  audiences: 200,
  /** Products of one price test. */
  products: maxProducts,
  /** Sets of changes of a hypothesis, and changes in one of them. */
  changeSets: changeLimits.sets,
  changes: changeLimits.changes,
  /** Launched tests that are not deleted. */
  tests: 2_000,
  /** Entries in a test's history, which is read whenever events arrive. */
  testChanges: 500,
  /**
   * `templateCopies`: copies of templates in the shop that belong to no draft. `copiesADay`: copies
   * made within a day for any reason. We keep the content of each copy until it is undone.
   */
  templateCopies: 100,
  copiesADay: 200,
  /** Requests for a custom plan that staff have not answered or closed. */
  leads: 20,
  /** Subscriptions that were requested within a day and not approved. */
  pendingPlans: 50,
  /**
   * Decisions about networks that merchants of a store make within a day; staff may make as many.
   */
  networkDecisions: 200,
  /** Changes of the shop's time zone within a day; each counts all days of the store again. */
  zoneChanges: 5,
  /** Unfinished jobs, by kind. */
  jobs: maxJobs,
} as const
export type Quotas = { [K in 'requests' | 'concurrent' | 'exports' | 'statement']: number }

export const quotaWords = {
  requests: 'Your store has sent too many requests in this minute. Try again later.',
  concurrent: 'Too many requests of your store are under way at once. Try again in a moment.',
  exports: `Your store has ${quotas.exports} exports running already. Wait until one of them is done.`,
  statement: 'This took too long and was stopped. Try again later.',
  drafts: `A store has at most ${quotas.drafts} drafts. Delete some that you do not need.`,
  audiences: `A store has at most ${quotas.audiences} audiences of its own. Delete one that is not used.`,
  tests: `A store has at most ${quotas.tests} tests. Delete ended tests that you do not need.`,
  testChanges: 'This test was changed too often. End it, and launch a copy of it.',
  templateCopies: `A store has at most ${quotas.templateCopies} copies of templates. Delete some that you do not need.`,
  copiesADay: `A store makes at most ${quotas.copiesADay} copies of templates in a day. Try again tomorrow.`,
  leads: 'Your store has sent many requests for a plan already. We answer them by email.',
  pendingPlans: 'Your store has asked for a plan many times today. Try again tomorrow.',
  networkDecisions: `Your store has decided about networks ${quotas.networkDecisions} times in a day. Try again tomorrow.`,
  zoneChanges: `The time zone of your shop has changed ${quotas.zoneChanges} times in a day. The next change is taken over later.`,
  products: `A price test holds at most ${quotas.products} products.`,
} as const
