import * as Type from 'typebox'
import { consentRuleNames } from '../events/consent.ts'
import { Capabilities } from '../platform/capabilities.ts'
import { type Call, closed, Done, Id, Maybe } from '../api/call.ts'
import { ShopConsent } from '../stores/shop-consent.ts'
import { logoTypes } from '../stores/store-logo.ts'
import { StoreInfo, storeNameLength, StoreStatus } from '../stores/store.ts'
import {
  industries,
  keysOf,
  sources,
  teamSizes,
  testingExperiences,
} from '../stores/store-onboarding.ts'
import { categoryKeys, LastUninstall, longestReason } from '../stores/store-uninstall.ts'

const StoreName = Type.String({ minLength: 1, maxLength: storeNameLength, pattern: '\\S' })

export const storeCalls = {
  storeInfo: {
    method: 'GET',
    path: '/api/v0/stores/info',
    about: 'The store: its shop, plan, live theme, and the features switched on for it.',
    response: StoreInfo,
  },
  storeCapabilities: {
    method: 'GET',
    path: '/api/v0/stores/capabilities',
    about:
      'What the shop’s platform lets us do in this store, at most some seconds old. A store whose shop has not answered yet is described as if it could do everything.',
    response: Capabilities,
  },
  storeConsent: {
    method: 'GET',
    path: '/api/v0/stores/consent',
    about: 'How the shop asks its visitors for consent, if its platform has settings for that.',
    none: [404],
    response: ShopConsent,
    errors: { 422: 'The merchant has not permitted us to read these settings.' },
  },
  storeStatus: {
    method: 'GET',
    path: '/api/v0/stores/status',
    about:
      'The subscription’s dates and status, and the visitors of this cycle against the plan’s limit.',
    response: StoreStatus,
  },
  storeLogo: {
    method: 'GET',
    path: '/api/store/logo',
    about: 'The shop’s logo, if it is a picture of a usual type and at most 256 KB.',
    none: [404],
    response: Type.String({ description: 'The picture as the shop has it.' }),
    file: [...logoTypes],
  },
  industries: {
    method: 'GET',
    path: '/api/store/industries',
    about: 'Industries to choose from: key to display name.',
    response: Type.Record(Type.String(), Type.String()),
  },
  setIndustries: {
    method: 'PUT',
    path: '/api/store/industries',
    about: 'Stores what the shop sells and how many people work on it.',
    body: Type.Object(
      { selectedIndustry: Type.Enum(keysOf(industries)), teamSize: Type.Enum(keysOf(teamSizes)) },
      closed,
    ),
    response: Done,
  },
  setExperience: {
    method: 'PUT',
    path: '/api/store/experience',
    about: 'Stores how much testing the merchant has done, and where they heard of us.',
    body: Type.Object(
      {
        testingExperience: Type.Enum(keysOf(testingExperiences)),
        source: Type.Enum(keysOf(sources)),
      },
      closed,
    ),
    response: Done,
  },
  renameStore: {
    method: 'POST',
    path: '/api/v0/stores/:id',
    about: 'Gives the store another name here; the shop keeps its own.',
    params: Id,
    body: Type.Object({ name: StoreName }, closed),
    response: StoreInfo,
  },
  setConsentRule: {
    method: 'PUT',
    path: '/api/v0/stores/:id/consent-rule',
    about:
      'Says whether visitors take part in tests and are counted until they refuse, or only once they have agreed. The script is published again.',
    params: Id,
    body: Type.Object({ rule: Type.Enum(consentRuleNames) }, closed),
    response: StoreInfo,
  },
  startOnboarding: {
    method: 'PUT',
    path: '/api/store/start-onboarding',
    about: 'Marks onboarding as started.',
    response: Done,
  },
  setOnboarded: {
    method: 'PUT',
    path: '/api/store/onboarded',
    about: 'Ends onboarding: the store is ready.',
    response: Done,
    errors: { 409: 'Onboarding has not been started.' },
  },
  dismissChecklist: {
    method: 'DELETE',
    path: '/api/v0/stores/checklist',
    about: 'Dismisses the checklist of first steps, for everyone who works on the store.',
    response: Done,
  },
  userAutofill: {
    method: 'GET',
    path: '/api/onboarding/userautofill',
    about: 'What the platform knows about the merchant, to fill in the onboarding form.',
    response: Type.Object({
      firstName: Type.String(),
      lastName: Type.String(),
      email: Type.String(),
      phone: Maybe(Type.String()),
    }),
  },
  endSessions: {
    method: 'POST',
    path: '/api/v0/stores/:id/end-sessions',
    about:
      'Signs everyone out of this store, including the caller. All existing tokens are refused at once.',
    params: Id,
    response: Done,
  },
  uninstall: {
    method: 'POST',
    path: '/api/v0/stores/:id/uninstall',
    about:
      'Starts a job that ends all tests, restores the shop and removes the app from it. While the job runs, another call answers the same job.',
    params: Id,
    body: Type.Object(
      { category: Type.Enum(categoryKeys), reason: Type.String({ maxLength: longestReason }) },
      closed,
    ),
    response: Type.Object({ jobId: Type.String() }),
    errors: { 409: 'The app is uninstalled already.' },
  },
  lastUninstall: {
    method: 'GET',
    path: '/api/v0/stores/:id/last-uninstall',
    about: 'The latest uninstalling: who did it, whether it is done, and what stayed in the shop.',
    params: Id,
    response: LastUninstall,
    none: [404],
  },
} as const satisfies Record<string, Call>
