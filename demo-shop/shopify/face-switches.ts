import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { FastifyPluginAsync } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { Bucket } from './api/bucket.ts'
import { faultKinds, type Faults } from './api/faults.ts'
import { plans, type SettingsStore } from './app/face-settings.ts'

const check = Compile(
  Type.Partial(
    Type.Object(
      {
        settings: Type.Partial(
          Type.Object(
            {
              plan: Type.Enum([...plans]),
              themeWrites: Type.Boolean(),
              isApprovedForCustomers: Type.Boolean(),
              scopes: Type.Array(Type.String({ pattern: '^(read|write)_[a-z_]+$' })),
              rollouts: Type.Boolean(),
              processingThemes: Type.Array(Type.String()),
              consentBanner: Type.Union([Type.Boolean(), Type.Null()]),
            },
            { additionalProperties: false },
          ),
        ),
        faults: Type.Array(
          Type.Object(
            {
              kind: Type.Enum([...faultKinds]),
              times: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
              on: Type.Enum(['api', 'token']),
              after: Type.Optional(Type.Integer({ minimum: 0 })),
              holding: Type.Optional(Type.String()),
              seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 60 })),
            },
            { additionalProperties: false },
          ),
          { maxItems: 20 },
        ),
        version: Type.String({ pattern: '^20\\d\\d-(01|04|07|10)$' }),
        restoreRate: Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()]),
      },
      { additionalProperties: false },
    ),
  ),
)

/**
 * What the platform allows, and what goes wrong, as the back office switches it: GET answers all
 * switches, PUT changes those that it names. Behind the back office's password.
 */
export const faceSwitches: FastifyPluginAsync<{
  settings: SettingsStore
  faults: Faults
  served: { version: string }
  bucket: Bucket
}> = async (app, { settings, faults, served, bucket }) => {
  const all = () => ({
    settings: settings.current(),
    faults: faults.current(),
    version: served.version,
    restoreRate: bucket.restoreRate,
    bucket: bucket.status(),
  })
  app.get('/admin/shopify/switches.json', all)
  app.put('/admin/shopify/switches.json', ({ body }) => {
    if (!check.Check(body)) {
      const field = check.Errors(body)[0]?.instancePath.slice(1).replaceAll('/', '.') || 'body'
      throw new HttpProblem(422, `${field}: This is no such switch.`, [
        { field, message: 'No such switch.' },
      ])
    }
    if (body.settings) settings.set(body.settings)
    if (body.faults) faults.set(body.faults)
    if (body.version !== undefined) served.version = body.version
    if (body.restoreRate !== undefined) bucket.restoreRate = body.restoreRate
    return all()
  })
}
