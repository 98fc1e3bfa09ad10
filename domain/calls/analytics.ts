import * as Type from 'typebox'
import { GaAccount, GaSettings, GaStream, GoogleId } from '../google/analytics.ts'
import { type Call, closed, Done } from '../api/call.ts'

const plan = 'The plan does not include Google Analytics.'
const notConnected = 'Google Analytics is not connected.'
const unreachable = { 502: 'Google could not be reached.', 503: 'Google asks to wait.' }

export const analyticsCalls = {
  gaSettings: {
    method: 'GET',
    path: '/api/v0/ga/settings',
    about: 'The store’s settings for Google Analytics.',
    response: GaSettings,
    none: [404],
  },
  gaAccounts: {
    method: 'GET',
    path: '/api/v0/ga/accounts',
    about: 'The Google Analytics accounts that the merchant may use, with their properties.',
    response: Type.Array(GaAccount),
    none: [401, 403],
    errors: unreachable,
  },
  gaMeasurementIds: {
    method: 'GET',
    path: '/api/v0/ga/measurement-ids',
    about: 'The web streams of a property.',
    query: Type.Object({ propertyId: GoogleId }, closed),
    response: Type.Array(GaStream),
    none: [401, 403],
    errors: unreachable,
  },
  /**
   * The next two calls are not in the requirements: they send the merchant to Google and take the
   * answer.
   */
  connectGa: {
    method: 'GET',
    path: '/api/v0/ga/connect',
    about:
      'The address at Google where the merchant gives us access, valid for ten minutes. None when the installation has no client at Google.',
    response: Type.Object({ url: Type.String() }),
    none: [404],
    errors: { 403: plan },
  },
  finishGa: {
    method: 'POST',
    path: '/api/v0/ga/connect',
    about:
      'Connects the store with the code and the state that Google sent back with the merchant. Only the store that began the connection can finish it.',
    body: Type.Object(
      {
        code: Type.String({ minLength: 1, maxLength: 2048 }),
        state: Type.String({ minLength: 1, maxLength: 4096 }),
      },
      closed,
    ),
    response: GaSettings,
    slow: true,
    errors: {
      400: 'The connection was begun more than ten minutes ago, was finished already, or was begun for another store.',
      403: plan,
      409: 'The merchant did not allow everything that is needed; nothing is connected.',
      ...unreachable,
    },
  },
  setGaProperty: {
    method: 'PUT',
    path: '/api/v0/ga/property',
    slow: true,
    about: 'Chooses the property that exposures go to.',
    body: Type.Object({ accountId: GoogleId, propertyId: GoogleId }, closed),
    response: GaSettings,
    errors: { 403: plan, 409: notConnected, ...unreachable },
  },
  enableGa: {
    method: 'POST',
    path: '/api/v0/ga/enable',
    slow: true,
    about: 'Sends exposures to Google Analytics from now on.',
    response: GaSettings,
    errors: {
      403: plan,
      409: `${notConnected} Or no property is chosen, or it cannot take events.`,
      ...unreachable,
    },
  },
  disableGa: {
    method: 'POST',
    path: '/api/v0/ga/disable',
    about: 'Stops sending exposures to Google Analytics.',
    response: GaSettings,
    errors: { 409: notConnected },
  },
  disconnectGa: {
    method: 'POST',
    path: '/api/v0/ga/disconnect',
    slow: true,
    about: 'Gives our access to Google Analytics back and forgets the settings.',
    response: Done,
    errors: {
      502: 'Google could not be reached; nothing more is sent, but our access stands until it is asked for again.',
    },
  },
} as const satisfies Record<string, Call>
