import { changeLimits } from './drafts/dom-selector.ts'
import { maxJobs } from './jobs/job-lane.ts'
import { maxProducts } from './products/product-check.ts'

/**
 * What one store may have, and ask for, at most. A merchant at work meets none of these: they keep one store, or
 * somebody with its token, from using up what all stores share. Requests, calls and exports are counted by each process.
 */
export const quotas = {
  /** Calls of the API a minute, and under way at once. */
  requests: 6_000,
  concurrent: 40,
  /** Calls that the app has under way for a store's pages, and as many files. More wait their turn (fair-turns.ts). */
  appCalls: 16,
  /** Exports that are being read. One that nobody reads from is given up after two minutes (server-timeouts.ts). */
  exports: 2,
  /** Milliseconds that one statement of a call may take (Postgres). */
  statement: 20_000,
  /** Drafts, and audiences of its own. */
  drafts: 500,
  audiences: 200,
  /** Products of one price test. */
  products: maxProducts,
  /** Sets of changes of a hypothesis, and changes in one of them. */
  changeSets: changeLimits.sets,
  changes: changeLimits.changes,
  /** Tests that were launched and are not deleted. */
  tests: 2_000,
  /** Changes of a test that its history tells, each of which is read as events come. */
  testChanges: 500,
  /** Copies of templates in the shop that belong to no draft; and copies made within a day for whatever reason: each is kept whole until it is undone. */
  templateCopies: 100,
  copiesADay: 200,
  /** Requests for a plan of its own. */
  leads: 20,
  /** Subscriptions asked for within a day and not approved. */
  pendingPlans: 50,
  /** Unfinished jobs of a kind. */
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
  products: `A price test holds at most ${quotas.products} products.`,
} as const
