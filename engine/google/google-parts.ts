import { access } from '../plans/access.ts'
import { analytics, disconnectGoogle } from './analytics.ts'
import type { EngineContext } from '../context.ts'
import { googleAdmin } from './google-admin.ts'
import { startGoogleSender } from './google-sender.ts'
import { googleTokens } from './google-tokens.ts'
import { sealOf } from '../session/seal.ts'
import { openGoogle } from './google.ts'
import { keyRing } from '../session/key-ring.ts'
import type { Serve } from '../http/routes.ts'

/** How often we check for exposures to send, in milliseconds. */
const sendEvery = 15_000

/** Puts together all parts of the Google Analytics integration. */
export function googleAnalytics(
  context: Pick<EngineContext, 'db' | 'clock' | 'config' | 'log'>,
  byItself?: boolean,
) {
  const google = openGoogle(context.config),
    seal = sealOf(keyRing(context.config))
  const tokens = googleTokens(context, google, seal)
  const admin = googleAdmin(google, tokens)
  const { db, clock, log } = context
  const sender = startGoogleSender({
    db,
    clock,
    log,
    google,
    seal,
    mayUse: async storeId => (await access(context, storeId)).can('Ga4Integration'),
    forget: storeId => disconnectGoogle({ db, google, tokens }, storeId),
    every: sendEvery,
    byItself,
  })
  return {
    serve: (serve: Serve) =>
      analytics(serve, context, {
        google,
        tokens,
        admin,
        seal,
        requireGa4: async storeId => (await access(context, storeId)).require('Ga4Integration'),
      }),
    sender,
    close: async () => {
      await sender.stop()
      await google.close()
    },
  }
}
