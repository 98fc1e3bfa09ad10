import type { FastifyPluginAsync } from 'fastify'
import { decimalMoney, minorFromDecimal } from '../../domain/money.ts'
import { adminPage, formDone } from './admin-page.ts'
import type { Details } from './details.ts'
import type { PageApis } from '../pages/page-apis.ts'
import { fieldsOf, text, type Fields } from '../forms.ts'
import { ownCurrency, type Currencies, type MarketPrices } from '../pages/currencies.ts'
import type { PlatformViews } from './platform-views.ts'

/**
 * The back office's page for the shop's name, e-mail address and tax, for the prices of its
 * markets, and for what its pages offer.
 */
export const detailsAdmin: FastifyPluginAsync<{
  details: Details
  pageApis: PageApis
  currencies: Currencies
  views: PlatformViews
}> = async (app, { details, pageApis, currencies, views }) => {
  const page = adminPage(views)
  const saved = () => ({
    at: 'settings',
    values: details.current(),
    apis: pageApis.current(),
    markets: currencies
      .list()
      .filter(({ code }) => code !== ownCurrency.code)
      .map(({ code, step, ending, prices }) => ({
        code,
        step: decimalMoney(step, code),
        ending: decimalMoney(ending, code),
        prices: Object.entries(prices)
          .map(([handle, price]) => `${handle} ${decimalMoney(price, code)}`)
          .join('\n'),
      })),
  })
  app.get('/admin/settings', (_, reply) => page(reply, 'admin-settings', saved()))
  app.post('/admin/settings/page-apis', (request, reply) => {
    const fields = fieldsOf(request)
    pageApis.set({
      privacy: text(fields['privacy']) === 'on',
      cart: text(fields['cart']) === 'on',
    })
    return reply.redirect('/admin/settings', 303)
  })
  app.post('/admin/settings', (request, reply) => {
    const fields = fieldsOf(request)
    const tax = fields['tax_rate']
    const values = {
      name: text(fields['name']),
      email: text(fields['email']),
      taxRate: tax === undefined ? details.current().taxRate : Number(text(tax) || 0),
    }
    return formDone(
      reply,
      () => details.update(values),
      '/admin/settings',
      ({ status, message }) =>
        page(reply.code(status), 'admin-settings', { ...saved(), values, problem: message }),
    )
  })
  app.post('/admin/settings/markets', (request, reply) => {
    const fields = fieldsOf(request)
    return formDone(
      reply,
      () => currencies.round(marketsIn(fields, currencies)),
      '/admin/settings',
      ({ status, message }) =>
        page(reply.code(status), 'admin-settings', { ...saved(), marketProblem: message }),
    )
  })
}

/** The markets that a form names. An amount that cannot be read is NaN, which is refused. */
const marketsIn = (fields: Fields, currencies: Currencies): Record<string, MarketPrices> =>
  Object.fromEntries(
    currencies
      .list()
      .filter(({ code }) => code !== ownCurrency.code && `step_${code}` in fields)
      .map(({ code }) => {
        const amount = (name: string) =>
          minorFromDecimal(text(fields[`${name}_${code}`]) || '0', code) ?? Number.NaN
        const prices = text(fields[`prices_${code}`])
          .split('\n')
          .map(line => line.trim().split(/\s+/))
          .flatMap(([handle, price = '']) =>
            handle ? [[handle, minorFromDecimal(price, code) ?? Number.NaN] as const] : [],
          )
        return [
          code,
          {
            step: amount('step'),
            ending: amount('ending'),
            prices: Object.fromEntries(prices),
          },
        ]
      }),
  )
