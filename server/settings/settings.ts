import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { parseConsent } from '../../domain/events/consent.ts'
import type { Posted } from '../../domain/posted.ts'
import { networkDone, networkGone } from '../../domain/events/network.ts'
import { paths } from '../../domain/paths.ts'
import { formatLimit, planLevelName } from '../../domain/plans/plan.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import { parseExperience, parseIndustry, parseStoreName } from '../../domain/stores/store-form.ts'
import { Account } from '../../views/settings/account.tsx'
import { Preferences } from '../../views/settings/settings-preferences.tsx'
import { Support } from '../../views/settings/settings-support.tsx'
import { page, seeOther } from '../page/page.ts'
import { layoutOf } from '../page/layout.ts'
import { storeAddressesOf } from '../page/shop-addresses.ts'
import { toast } from '../page/toasts.ts'
import { carriedFrom, queryOf, withQuery } from '../http/query.ts'
import { apiOf, shellOf, storeOf } from '../session/visit.ts'
import { shopConsent } from '../stores/shop-consent.ts'

type SettingsOptions = {
  /** Null where none is configured. */
  supportEmail: string | null
  clock: () => Date
}
type Form = { Body: Posted }

/**
 * Settings of the store's account, its preferences, and support. Billing, brand styles,
 * integrations, notifications and uninstalling have handlers of their own.
 */
export function settings(app: FastifyInstance, { supportEmail, clock }: SettingsOptions): void {
  app.get('/settings', (request, reply) => seeOther(request, reply, paths.settings()))

  app.get(paths.settings('account'), (request, reply) =>
    page(request, reply, {}, h(Account, shellOf(request))),
  )
  app.post<Form>(paths.settings('account'), async (request, reply) => {
    const { value, problems } = parseStoreName(request.body)
    const again = (refused: FieldProblem[]) =>
      page(
        request,
        reply.code(422),
        {},
        h(Account, {
          ...shellOf(request),
          rename: { typed: String(request.body.name ?? ''), problems: refused },
        }),
      )
    if (!value) return again(problems)
    return kept(
      request,
      reply,
      () => apiOf(request).renameStore({ params: { id: storeOf(request).id }, body: value }),
      'account',
      'The name is saved.',
      again,
    )
  })

  app.post(paths.endSessions(), async (request, reply) => {
    await apiOf(request).endSessions({ params: { id: storeOf(request).id } })
    toast(request, reply, 'Everybody is signed out. You are signed in again in this browser.')
    // This session has ended too. The shop's admin makes a new one.
    return reply.redirect(
      withQuery(paths.auth(), {
        ...carriedFrom(queryOf(request)),
        from: paths.settings('account'),
      }),
      303,
    )
  })

  app.get(paths.settings('support'), async (request, reply) => {
    const { store, plans } = shellOf(request)
    const { version } = await apiOf(request).about({})
    const plan = plans.find(({ id }) => id === store.planId)
    const level =
      plan &&
      planLevelName(plan.level, message =>
        request.log.warn({ storeId: store.id, plan: plan.id }, message),
      )
    return page(
      request,
      reply,
      {},
      h(Support, {
        email: supportEmail,
        docs: layoutOf(request).docs,
        facts: [
          ['Store', store.id],
          ['Shop', store.shop],
          ['Plan', plan ? `${plan.title} ${formatLimit(plan.limit)} (${plan.id})` : 'None'],
          ...(level ? [['Plan level', level] as [string, string]] : []),
          ['Version', version],
        ],
      }),
    )
  })

  app.get(paths.settings('preferences'), async (request, reply) => preferences(request, reply))
  app.post<Form>(paths.preferences('industry'), async (request, reply) => {
    const { value, problems } = parseIndustry(request.body)
    const again = (refused: FieldProblem[]) => preferences(request, reply.code(422), refused)
    if (!value) return again(problems)
    return kept(
      request,
      reply,
      () => apiOf(request).setIndustries({ body: value }),
      'preferences',
      'Your shop’s answers are saved.',
      again,
    )
  })
  app.post<Form>(paths.preferences('experience'), async (request, reply) => {
    const { value, problems } = parseExperience(request.body)
    const again = (refused: FieldProblem[]) => preferences(request, reply.code(422), refused)
    if (!value) return again(problems)
    return kept(
      request,
      reply,
      () => apiOf(request).setExperience({ body: value }),
      'preferences',
      'Your testing answers are saved.',
      again,
    )
  })

  app.post<Form>(paths.preferences('consent'), async (request, reply) => {
    const { value, problems } = parseConsent(request.body)
    const again = (refused: FieldProblem[]) => preferences(request, reply.code(422), refused)
    if (!value) return again(problems)
    return kept(
      request,
      reply,
      () => apiOf(request).setConsentRule({ params: { id: storeOf(request).id }, body: value }),
      'preferences',
      'Your choice is saved. Your shop follows it within a minute.',
      again,
    )
  })

  app.post<Form>(paths.preferences('networks'), async (request, reply) => {
    const isCounted = request.body.counted === 'yes'
    const done = await apiOf(request).chooseNetwork({
      params: { network: String(request.body.network ?? '').slice(0, 40) || 'none' },
      body: { isCounted },
    })
    toast(request, reply, done ? networkDone(isCounted) : networkGone)
    return seeOther(request, reply, paths.settings('preferences'))
  })

  /**
   * Sends the preferences. After a refused form they show what was chosen there instead of what is
   * stored.
   */
  async function preferences(
    request: FastifyRequest,
    reply: FastifyReply,
    problems: FieldProblem[] = [],
  ) {
    const store = storeOf(request)
    const posted = (request.body ?? {}) as Posted
    const typed = (name: string, kept: string | null) =>
      typeof posted[name] === 'string' ? posted[name] : kept
    const api = apiOf(request)
    const [industries, networks, consent] = await Promise.all([
      api.industries({}),
      api.networks({}),
      shopConsent(request),
    ])
    return page(
      request,
      reply,
      { route: 'settings-preferences' },
      h(Preferences, {
        store,
        industries,
        networks,
        consent,
        now: clock(),
        problems,
        admin: storeAddressesOf(request).settings,
        typed: {
          industry: typed('selectedIndustry', store.industry),
          teamSize: typed('teamSize', store.teamSize),
          testingExperience: typed('testingExperience', store.testingExperience),
          source: typed('source', store.source),
        },
      }),
    )
  }
}

/** Saves, and redirects with a toast. A field that the API refuses is shown with its problem. */
async function kept(
  request: FastifyRequest,
  reply: FastifyReply,
  keep: () => Promise<unknown>,
  to: 'account' | 'preferences',
  done: string,
  again: (problems: FieldProblem[]) => FastifyReply | Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    await keep()
  } catch (error) {
    if (error instanceof HttpProblem && error.fields.length > 0) return again(error.fields)
    throw error
  }
  toast(request, reply, done)
  return seeOther(request, reply, paths.settings(to))
}
