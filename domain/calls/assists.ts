import * as Type from 'typebox'
import { type Call, closed, Id, IdParam } from '../api/call.ts'
import { LiftAssists } from '../lift-assist/lift-assist.ts'
import { screenshotDeviceNames } from '../drafts/pictures/screenshot.ts'

const Started = Type.Object({ jobId: Type.String() })
const withoutChromium = { 503: 'There is no Chromium to take pictures with.' }

export const assistCalls = {
  refreshScreenshots: {
    method: 'POST',
    path: '/api/v0/hypotheses/:id/refresh-screenshots',
    about: 'Takes new pictures of one arm, in the background.',
    params: Id,
    response: Started,
    errors: withoutChromium,
  },
  updateDraftScreenshots: {
    method: 'POST',
    path: '/api/v0/test-drafts/:id/update-screenshots',
    about: 'Takes new pictures of both arms of a draft, in the background.',
    params: Id,
    response: Started,
    errors: withoutChromium,
  },
  screenshot: {
    method: 'GET',
    path: '/api/v0/hypotheses/:id/screenshots/:device',
    about: 'The latest picture of an arm.',
    params: Type.Object({ id: IdParam, device: Type.Enum(screenshotDeviceNames) }, closed),
    response: Type.String(),
    file: ['image/jpeg'],
  },
  liftAssists: {
    method: 'GET',
    path: '/api/v0/lift-assists',
    about:
      'What to test next, from the last 28 full days of the shop, the most promising first. `query` finds words in titles and pages.',
    query: Type.Object({ query: Type.Optional(Type.String({ maxLength: 200 })) }, closed),
    response: LiftAssists,
    errors: { 403: 'The plan does not include Lift Assist.' },
  },
} as const satisfies Record<string, Call>
