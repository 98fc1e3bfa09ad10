import { readFileSync } from 'node:fs'
import t from 'tap'
import type { TObject, TSchema } from 'typebox'
import { contract } from '../../domain/api/contract.ts'
import type { Call } from '../../domain/api/call.ts'
import { Audience } from '../../domain/audiences/audience.ts'
import { BrandStyle, Font, FontEntry } from '../../domain/brand/brand-style.ts'
import { patternKinds } from '../../domain/brand/brand-style-look.ts'
import { DomSelector } from '../../domain/drafts/dom-selector.ts'
import { draftOrigins, TestDraft } from '../../domain/drafts/draft.ts'
import { GaSettings } from '../../domain/google/analytics.ts'
import { idleAfter } from '../../domain/idle.ts'
import { hubTiming, Job, jobStatuses } from '../../domain/jobs/job.ts'
import { DiscountCheck } from '../../domain/plans/discount.ts'
import { LeadInput, visitorRanges } from '../../domain/plans/lead.ts'
import { Plan } from '../../domain/plans/plan.ts'
import { priceChangeAlerts } from '../../domain/plans/plan-price.ts'
import { planTiers } from '../../domain/plans/plan-level.ts'
import { Problem } from '../../domain/problem.ts'
import { ProductPage, ProductVariant, ShopProduct } from '../../domain/products/product.ts'
import { routes } from '../../domain/routes.ts'
import { featureFlags, storeFeatures, StoreInfo, StoreStatus } from '../../domain/stores/store.ts'
import { Test, testEventKinds } from '../../domain/tests/ab-test.ts'
import { testKindNames } from '../../domain/tests/test-kind.ts'
import { changeStates, templateKinds } from '../../domain/tests/test-target.ts'
import { Template } from '../../domain/themes/template-record.ts'
import { Theme } from '../../domain/themes/theme.ts'

// Names and numbers that other programs rely on. Adding new ones is safe; changing one of these
// breaks a program.

type Row = { body?: string[]; query?: string[]; response?: string[]; none?: number[] }
const { calls, hub } = JSON.parse(readFileSync('test/cases/calls.json', 'utf8')) as {
  calls: [method: string, path: string, row?: Row][]
  hub: { reconnectDelaysSeconds: number[]; serverTimeoutSeconds: number; keepAliveSeconds: number }
}
const words = (list: string) => list.split(/,? /)
const fieldsOf = (schema: TSchema | undefined) =>
  Object.keys((schema as Partial<TObject> | undefined)?.properties ?? {})

t.test('every call has the documented fields in its requests and responses', async t => {
  const form = (method: string, path: string) => `${method} ${path.replace(/:\w+/g, ':x')}`
  const declared = new Map(
    Object.values<Call>(contract).map(call => [form(call.method, call.path), call]),
  )
  for (const [method, path, row = {}] of calls) {
    const call = declared.get(form(method, path))
    t.ok(call, `${method} ${path}`)
    for (const part of ['body', 'query'] as const)
      for (const name of row[part] ?? [])
        t.ok(fieldsOf(call?.[part]).includes(name), `${method} ${path}: ${name} of its ${part}`)
    for (const name of row.response ?? []) {
      const [first, ...rest] = name.split('.')
      let schema = call?.response
      for (const part of [first!, ...rest]) {
        t.ok(fieldsOf(schema).includes(part), `${method} ${path} answers ${name}`)
        schema = (schema as Partial<TObject> | undefined)?.properties?.[part]
      }
    }
    if (row.none) t.same(call?.none, row.none, `${method} ${path}: statuses that mean none`)
  }
})

t.test('stored and returned objects have the documented fields', async t => {
  const known: [string, TSchema, string][] = [
    [
      'store',
      StoreInfo,
      'id shop domain name createdAt updatedAt industry teamSize testingExperience source onboarded reinstall hasSubscribed status planId trial themeId segmentStatus email phone currency features storeInitials',
    ],
    [
      'status of a store',
      StoreStatus,
      'currentSubscriptionEnd nextBill usageReset trialEnd sessions sessionLimit pendingPlan',
    ],
    ['plan', Plan, 'id level title limit price isAnnual requireAppointment available'],
    ['discount', DiscountCheck, 'isValid valueType value planId'],
    ['lead', LeadInput, 'firstName lastName email'],
    ['job', Job, 'id status message'],
    ['brand style', BrandStyle, 'title body label buttonText patterns updatedAt id'],
    ['font', Font, 'family weight style'],
    ['font entry', FontEntry, 'family style weight source stylesheet'],
    ['analytics settings', GaSettings, 'accountId propertyId measurementIds'],
    ['product', ShopProduct, 'createdAt updatedAt variantCount variants'],
    ['product variant', ProductVariant, 'createdAt updatedAt'],
    ['page of products', ProductPage, 'products totalCount page limit totalPages'],
    ['template', Template, 'type createdAt'],
    ['theme', Theme, 'createdAt'],
    ['draft', TestDraft, 'createdAt updatedAt variantCreatedAt launchAt automaticallyEndAt'],
    ['DOM selector', DomSelector, 'id actions urlPatterns'],
    [
      'test',
      Test,
      'createdAt updatedAt startAt endsAt appliedAt estimatedCompletionDate launchAt automaticallyEndAt title hypothesisDescription controlTitle variantTitle status statusHistory',
    ],
    ['audience', Audience, 'name values'],
    ['problem', Problem, 'message error uuid'],
  ]
  for (const [what, schema, fields] of known)
    for (const field of words(fields)) t.ok(fieldsOf(schema).includes(field), `${what}: ${field}`)
})

t.test('names that are stored and sent do not change', async t => {
  const features =
    'VisitorReporting CustomAudiences LiftAssists SubscriptionReporting UrlRedirectTests Ga4Integration ApiTesting PriceTesting DomTesting'
  t.same(storeFeatures, words(features))
  t.same(
    [...featureFlags].sort(),
    words(
      `${features} InstallScript UseOldInlineScript SkipOptionalScopes DebugScriptLogging IgnoreTestViewParameterEnforce DisableReferrerOverride`,
    ).sort(),
  )
  t.same(
    testKindNames,
    words('Theme Template PageContent UrlRedirect PageElement Api Price'),
    'seven kinds of test',
  )
  t.same(
    testEventKinds,
    words('Created Modified Start End Lift Progress Paused Duration Visitors'),
    'nine kinds of event',
  )
  t.same(jobStatuses, words('queued active updated completed errored'))
  t.same(patternKinds, words('Unknown Content Product Highlight'))
  t.same(draftOrigins, words('Duplicate ExistingTemplate LiftAssist'))
  t.same(templateKinds, words('Unsupported Simple'))
  t.same(changeStates, words('Unmodified Modified Removed'))
  t.same(visitorRanges, words('1M-2M, 2M-3M, 3M-4M, 5M+'))
})

t.test('each plan level lists the features that it adds', async t =>
  t.same(
    planTiers.map(({ name, features }) => [name, features.join(', ').toLowerCase()]),
    [
      [
        'Core',
        'template and theme testing, bayesian prediction, automated conversion tracking, device segmentation, local currencies, order export, email and chat support',
      ],
      [
        'Advanced',
        'price testing (beta), advanced audience segmentation, country segmentation, lift assist, ga4, javascript api, a conversion consultation',
      ],
      [
        'Pro',
        'an account manager, twice-monthly strategy sessions, a storefront audit, guided onboarding, a private channel, priority support',
      ],
    ],
  ),
)

t.test('fixed numbers do not change', async t => {
  t.same(
    hubTiming,
    {
      reconnect: hub.reconnectDelaysSeconds.map(seconds => seconds * 1000),
      serverTimeout: hub.serverTimeoutSeconds * 1000,
      keepAlive: hub.keepAliveSeconds * 1000,
    },
    'the hub’s client',
  )
  t.same([hub.reconnectDelaysSeconds, hub.serverTimeoutSeconds], [[0, 2, 10, 30], 30])
  t.equal(idleAfter, 60 * 60 * 1000)
  t.same(
    Object.values(priceChangeAlerts).map(({ price }) => price),
    [99, 74],
    'two old plans have a new price',
  )
  for (const name of ['byChannel', 'byDevice', 'byOrderType', 'byVisitors', 'referrers'] as const) {
    const query = contract[name].query.properties
    t.match(query.page, { default: 0 }, `${name}: the first page`)
    t.match(query.pageSize, { default: 10 }, `${name}: ten rows`)
    t.match([query.device, query.visitors], [{ default: 'all' }, { default: 'all' }], name)
  }
})

t.test('each page has one of three layouts', async t => {
  const paths = (layout: string) =>
    routes.filter(route => route.layout === layout).map(({ path }) => path)
  t.equal(
    paths('dashboard').length + paths('fullscreen').length + paths('none').length,
    routes.length,
  )
  t.ok(['/', '/settings/account', '/admin'].every(path => paths('dashboard').includes(path)))
  t.ok(['/overlay/selectplan', '/welcome'].every(path => paths('fullscreen').includes(path)))
  t.ok(['/auth-missing', '/login'].every(path => paths('none').includes(path)))
})
