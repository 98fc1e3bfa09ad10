import { readFileSync } from 'node:fs'
import t from 'tap'
import { maxJobs } from '../../../domain/jobs/job-lane.ts'
import { quotas, quotaWords } from '../../../domain/quota.ts'

t.test('the reference lists the present quotas, and merchants read one sentence', async t => {
  const guide = readFileSync(new URL('../../../docs/operators.md', import.meta.url), 'utf8')
  const table = guide.slice(
    guide.indexOf('## What one store may ask for'),
    guide.indexOf('## When something fails'),
  )
  for (const cell of [
    `${quotas.requests.toLocaleString('en-US')} a minute in all processes together; ${quotas.concurrent} at once in each`,
    `${quotas.appCalls} of each at once, in each app process`,
    `${quotas.exports} in each process`,
    `${quotas.statement / 1000} s`,
    `drafts | ${quotas.drafts} |`,
    `audiences of its own | ${quotas.audiences} |`,
    `tests that are not deleted | ${quotas.tests.toLocaleString('en-US')} |`,
    `changes of a test: names, schedule, another variant, and resuming it | ${quotas.testChanges} |`,
    `copies of templates in the shop that belong to no draft | ${quotas.templateCopies} |`,
    `copies of templates made in a day, for drafts too | ${quotas.copiesADay} |`,
    `plans asked for within a day and not approved | ${quotas.pendingPlans} |`,
    `decisions about networks in a day, by merchants; staff have as many | ${quotas.networkDecisions} |`,
    `changes of the shop's time zone in a day | ${quotas.zoneChanges} in each process |`,
    `products of a price test | ${quotas.products} |`,
    `requests for a plan of its own that staff have not answered or closed | ${quotas.leads} |`,
    `${quotas.changeSets} sets of ${quotas.changes}`,
    `unfinished jobs | ${maxJobs.screenshots} each`,
  ])
    t.ok(table.includes(cell), cell)
  for (const words of Object.values(quotaWords)) t.match(words, /^[A-Z].*\.$/)
})
