import type { FastifyInstance, FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { Posted } from '../../domain/posted.ts'
import { destination } from '../../domain/destination.ts'
import { paths } from '../../domain/paths.ts'
import { parseExperience, parseIndustry, parseStoreName } from '../../domain/stores/store-form.ts'
import { ContactStep, IndustryStep, LastStep, StartStep } from '../../views/onboarding/welcome.tsx'
import { ownPath } from '../../domain/stores/own-address.ts'
import { page, seeOther } from '../page/page.ts'
import { queryOf, withQuery } from '../http/query.ts'
import { toast } from '../page/toasts.ts'
import { apiOf, storeOf } from '../session/visit.ts'
import { shopConsent } from '../stores/shop-consent.ts'

type Form = { Body: Posted }

/**
 * Four short steps from an approved plan to the first test. The page that the merchant asked for at
 * first is carried along as `from`, and the last step leads to it.
 */
export function onboarding(app: FastifyInstance): void {
  const start = paths.welcome(),
    contact = paths.welcome('contact'),
    industry = paths.welcome('choose-industry'),
    last = paths.welcome('last-question')

  app.get(start, (request, reply) =>
    page(
      request,
      reply,
      {},
      h(StartStep, { storeName: storeOf(request).name, from: fromOf(request) }),
    ),
  )
  app.post(start, async (request, reply) => {
    await apiOf(request).startOnboarding({})
    return seeOther(request, reply, withFrom(request, contact))
  })

  app.get(contact, async (request, reply) =>
    page(request, reply, {}, h(ContactStep, await contactProps(request))),
  )
  app.post<Form>(contact, async (request, reply) => {
    const { value, problems } = parseStoreName(request.body)
    if (!value)
      return page(
        request,
        reply.code(422),
        {},
        h(ContactStep, {
          ...(await contactProps(request)),
          name: String(request.body.name ?? ''),
          problems,
        }),
      )
    await apiOf(request).renameStore({ params: { id: storeOf(request).id }, body: value })
    return seeOther(request, reply, withFrom(request, industry))
  })

  app.get(industry, async (request, reply) =>
    page(
      request,
      reply,
      {},
      h(IndustryStep, { ...(await industryProps(request)), chosen: storeOf(request) }),
    ),
  )
  app.post<Form>(industry, async (request, reply) => {
    const { value, problems } = parseIndustry(request.body)
    if (!value)
      return page(
        request,
        reply.code(422),
        {},
        h(IndustryStep, {
          ...(await industryProps(request)),
          chosen: {
            industry: chosen(request, 'selectedIndustry'),
            teamSize: chosen(request, 'teamSize'),
          },
          problems,
        }),
      )
    await apiOf(request).setIndustries({ body: value })
    return seeOther(request, reply, withFrom(request, last))
  })

  app.get(last, (request, reply) =>
    page(
      request,
      reply,
      {},
      h(LastStep, { chosen: storeOf(request), from: fromOf(request), problems: [] }),
    ),
  )
  app.post<Form>(last, async (request, reply) => {
    const { value, problems } = parseExperience(request.body)
    if (!value)
      return page(
        request,
        reply.code(422),
        {},
        h(LastStep, {
          chosen: {
            testingExperience: chosen(request, 'testingExperience'),
            source: chosen(request, 'source'),
          },
          from: fromOf(request),
          problems,
        }),
      )
    const api = apiOf(request)
    await api.setExperience({ body: value })
    // A merchant who came straight to this step has not started the onboarding yet.
    await api.startOnboarding({})
    await api.setOnboarded({})
    toast(request, reply, 'Your store is set up')
    return seeOther(request, reply, onboardingEnd(fromOf(request)))
  })
}

/**
 * The platform knows the merchant's name, address and phone. When it does not answer, the step asks
 * only for the store's name.
 */
async function contactProps(request: FastifyRequest) {
  const [merchant, consent] = await Promise.all([
    apiOf(request)
      .userAutofill({})
      .catch(() => null),
    shopConsent(request),
  ])
  const { name, consentRule } = storeOf(request)
  return { name, merchant, consent, consentRule, from: fromOf(request), problems: [] }
}

const industryProps = async (request: FastifyRequest) => ({
  industries: await apiOf(request).industries({}),
  from: fromOf(request),
  problems: [],
})

const chosen = (request: FastifyRequest<Form>, field: string): string | null => {
  const value = request.body[field]
  return typeof value === 'string' ? value : null
}

const fromOf = (request: FastifyRequest): string | null =>
  ownPath(queryOf(request).get('from') ?? undefined)
const withFrom = (request: FastifyRequest, path: string): string =>
  withQuery(path, { from: fromOf(request) ?? undefined })

/**
 * Where the onboarding leads: the page that was asked for at first, or else the list of tests.
 */
export const onboardingEnd = (asked: string | null): string => destination(asked) ?? paths.home()
