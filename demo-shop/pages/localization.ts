import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ownAddress } from '../../domain/stores/own-address.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { ownCurrency, type Currencies, type Currency } from './currencies.ts'
import { fieldsOf, text } from '../forms.ts'

/** Where a buyer is, and the currency in which they see prices. */
export type Locale = { country: string; currency: Currency }
export type LocaleOf = (request: FastifyRequest) => Locale

export const countries = [
  { code: 'US', name: 'United States' },
  { code: 'CA', name: 'Canada' },
  { code: 'CH', name: 'Switzerland' },
  { code: 'DE', name: 'Germany' },
  { code: 'FR', name: 'France' },
  { code: 'GB', name: 'United Kingdom' },
  { code: 'JP', name: 'Japan' },
] as const
const year = 365 * 86_400
const isCountry = (code: string | undefined): code is string =>
  countries.some(country => country.code === code)

/**
 * Reads the buyer's cookies. The shop's own country and currency replace a cookie that is missing,
 * or a country or currency that the shop does not sell in.
 */
export const localeOf =
  (currencies: Currencies): LocaleOf =>
  ({ cookies: { country, currency } }) => ({
    country: isCountry(country) ? country : countries[0].code,
    currency: currencies.find(currency ?? '') ?? ownCurrency,
  })

/**
 * Handles the choice in the footer: `country`, `currency`, and the page that the buyer came from.
 */
export const localization: FastifyPluginAsync<{
  currencies: Currencies
  isSecure: boolean
}> = async (app, { currencies, isSecure }) => {
  app.post('/localization', (request, reply) => {
    const fields = fieldsOf(request)
    const [country, currency] = [text(fields['country']), text(fields['currency'])]
    if (country !== '' && !isCountry(country)) throw wrong('country', 'We do not send there.')
    if (currency !== '' && !currencies.find(currency))
      throw wrong('currency', 'We do not sell in that currency.')
    const cookie = {
      path: '/',
      maxAge: year,
      sameSite: 'lax',
      httpOnly: true,
      secure: isSecure,
    } as const
    if (country) reply.setCookie('country', country, cookie)
    if (currency) reply.setCookie('currency', currency, cookie)
    return reply.redirect(ownPath(text(fields['return_to'])), 303)
  })
}

/** A path of the shop itself; '/' for anything else. */
const ownPath = (path: string): string =>
  path.startsWith('/') && ownAddress(path, 'https://own.invalid') ? path : '/'
const wrong = (field: string, message: string) =>
  new HttpProblem(422, message, [{ field, message }])
