import * as Type from 'typebox'
import { type Call, Done } from '../api/call.ts'
import { Network, NetworkChoice, NetworkParam } from '../events/network.ts'

export const networkCalls = {
  networks: {
    method: 'GET',
    path: '/api/v0/networks',
    about:
      'Networks that brought 10 or more new visitors in the last 48 hours, or about which something was decided; the busiest first.',
    response: Type.Array(Network),
  },
  chooseNetwork: {
    method: 'PUT',
    path: '/api/v0/networks/:network',
    about:
      'Sets the visitors of a network aside, or counts them again. All figures follow. It holds for 48 hours.',
    params: NetworkParam,
    body: NetworkChoice,
    response: Done,
    none: [404],
  },
} as const satisfies Record<string, Call>
