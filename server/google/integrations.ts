import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { Posted } from '../../domain/posted.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import {
  type Asked,
  type Connection,
  type IntegrationsProps,
  type Outcome,
  outcomes,
} from '../../views/google/integrations-state.tsx'
import { Integrations } from '../../views/google/integrations.tsx'
import { isOpen } from '../session/access.ts'
import { page, seeOther } from '../page/page.ts'
import { queryOf } from '../http/query.ts'
import { toast } from '../page/toasts.ts'
import { apiOf } from '../session/visit.ts'

type Form = { Body: Posted }

/**
 * Settings of the merchant's own Google Analytics. `google-connect.ts` connects it. `timeout`:
 * milliseconds that a page waits for Google.
 */
export function integrations(
  app: FastifyInstance,
  { timeout = 4_000 }: { timeout?: number | undefined } = {},
): void {
  app.get(paths.settings('integrations'), (request, reply) => {
    const outcome = queryOf(request).get('ga')
    return show(request, reply, timeout, {
      outcome:
        outcome !== null && Object.hasOwn(outcomes, outcome) ? (outcome as Outcome) : undefined,
    })
  })

  app.post<Form>(paths.analytics('property'), async (request, reply) => {
    const [accountId = '', propertyId = ''] = String(request.body.property ?? '').split('/')
    const wrong = (message: string) =>
      show(request, reply.code(422), timeout, { problems: [{ field: 'property', message }] })
    if (![accountId, propertyId].every(id => /^[0-9]{1,20}$/.test(id)))
      return wrong('Choose one of the properties that are listed.')
    try {
      await apiOf(request).setGaProperty({ body: { accountId, propertyId } })
    } catch (error) {
      if (error instanceof HttpProblem && error.status === 400)
        return wrong(error.fields[0]?.message ?? error.message)
      return refused(request, reply, error)
    }
    toast(request, reply, 'The property is saved.')
    return seeOther(request, reply, paths.settings('integrations'))
  })

  const act =
    (name: 'enableGa' | 'disableGa' | 'disconnectGa', done: string) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        await apiOf(request)[name]({})
      } catch (error) {
        return refused(request, reply, error)
      }
      toast(request, reply, done)
      return seeOther(request, reply, paths.settings('integrations'))
    }
  app.post(
    paths.analytics('enable'),
    act('enableGa', 'Your tests are sent to Google Analytics from now on.'),
  )
  app.post(
    paths.analytics('disable'),
    act('disableGa', 'Nothing more is sent to Google Analytics.'),
  )
  app.post(paths.analytics('disconnect'), act('disconnectGa', 'Google Analytics is disconnected.'))

  /**
   * Sends the page with the present settings and the reason why the act failed. Throws HttpProblem
   * 401 and other errors.
   */
  async function refused(
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
  ): Promise<FastifyReply> {
    if (!(error instanceof HttpProblem) || error.status === 401) throw error
    const isFailure = error.status >= 500
    if (isFailure) request.log.error({ err: error }, 'Google Analytics not changed')
    return show(request, reply.code(error.status), timeout, {
      refusal: isFailure
        ? (failures[error.status] ?? failures[502])
        : `Nothing was changed. ${error.message}`,
    })
  }
}
const failures: Record<number, string> & { 502: string } = {
  502: 'Nothing was changed. Google did not answer as it should. Try again in a minute.',
  503: 'Nothing was changed. Google asks us to wait. Try again in a minute.',
  504: 'Google took too long to answer. The change may still have been made: check the settings below.',
}

type Said = { outcome?: Outcome | undefined; refusal?: string; problems?: FieldProblem[] }

async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  timeout: number,
  { outcome, ...said }: Said,
): Promise<FastifyReply> {
  const open = isOpen(request, 'Ga4Integration')
  const connection = await connectionOf(request, open, timeout)
  const props: IntegrationsProps = {
    ...said,
    isDisconnecting: queryOf(request).get('ask') === 'disconnect',
    isOpen: open,
    connection,
    // Without a connection, ask the engine for a link to Google. It has none when no Google client
    // is configured.
    isSetUp: connection !== null || (open && (await apiOf(request).connectGa({})) !== null),
    // Anyone can type `?ga=connected` into the address, so say it only when it is true.
    outcome: outcome === 'connected' && !connection?.settings.connected ? undefined : outcome,
  }
  return page(request, reply, { route: 'settings-integrations' }, h(Integrations, props))
}

async function connectionOf(
  request: FastifyRequest,
  isOpen: boolean,
  timeout: number,
): Promise<Connection | null> {
  const api = apiOf(request)
  const settings = await api.gaSettings({})
  if (!settings || !settings.connected || !isOpen)
    return settings && { settings, accounts: null, streams: null }
  const [accounts, streams] = await Promise.all([
    asked(api.gaAccounts({}), timeout),
    settings.propertyId === null
      ? null
      : asked(api.gaMeasurementIds({ query: { propertyId: settings.propertyId } }), timeout),
  ])
  // Google's refusal may have ended the connection, so read the settings again.
  return {
    settings: 'refused' in accounts ? ((await api.gaSettings({})) ?? settings) : settings,
    accounts,
    streams,
  }
}

/**
 * Google's answer, if it comes within the timeout. Failures become values, because the merchant
 * should get the page without Google too.
 */
async function asked<T>(answer: Promise<T | null>, timeout: number): Promise<Asked<T>> {
  let timer: NodeJS.Timeout | undefined
  try {
    const late = new Promise<'late'>(resolve => {
      timer = setTimeout(resolve, timeout, 'late')
    })
    const said = await Promise.race([answer, late])
    return said === 'late'
      ? { failed: 'slow' }
      : said === null
        ? { refused: true }
        : { value: said }
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error
    return error.status === 504
      ? { failed: 'slow' }
      : error.status >= 500 || error.status === 429
        ? { failed: 'down' }
        : { refused: true }
  } finally {
    clearTimeout(timer)
  }
}
