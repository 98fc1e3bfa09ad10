import type { JobKind } from './job.ts'

/** The kinds of jobs in words, for staff. */
export const jobWords: Record<JobKind, string> = {
  uninstall: 'Uninstall',
  screenshots: 'Screenshots',
  choicePictures: 'Pictures of choices',
  launchCheck: 'Check before a launch',
  scheduledStart: 'Scheduled start',
  scheduledEnd: 'Scheduled end',
  limitCheck: 'Check of the visitor limit',
  testCheck: 'Check of running tests',
  rollupRepair: 'Check of the figures',
  rebuild: 'Recount',
  reconciliation: 'Nightly comparison with the platform',
  storeErasure: 'Erasure after an uninstall',
  shopperErasure: 'Erasure of a shopper',
  shopperExport: 'Export of a shopper',
  networkMove: 'Visitors of a network',
  leadMail: 'Mail about a plan request',
}
