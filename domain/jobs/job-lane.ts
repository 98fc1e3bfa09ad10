import type { JobKind } from './job.ts'

/**
 * Jobs wait only for jobs in the same lane. So a job that waits for a browser or a mail server, or
 * counts events again, does not delay a schedule, a hold or an uninstall. `slots`: jobs that a
 * process runs at once. `perStore`: how many of these may belong to one store, so that other stores
 * get their turn.
 */
export const jobLanes = {
  prompt: {
    kinds: [
      'scheduledStart',
      'scheduledEnd',
      'testCheck',
      'limitCheck',
      'uninstall',
      'networkMove',
    ],
    slots: 4,
    perStore: 2,
  },
  figures: {
    kinds: ['rebuild', 'rollupRepair', 'storeErasure', 'shopperErasure', 'shopperExport'],
    slots: 2,
    perStore: 1,
  },
  browser: { kinds: ['launchCheck', 'screenshots'], slots: 2, perStore: 1 },
  // Nobody waits for them, and a shop may have a hundred.
  pictures: { kinds: ['choicePictures'], slots: 2, perStore: 1 },
  mail: { kinds: ['leadMail'], slots: 2, perStore: 1 },
  // They wait for the platform, and no person waits for them.
  nightly: { kinds: ['reconciliation'], slots: 2, perStore: 1 },
} as const satisfies Record<string, { kinds: readonly JobKind[]; slots: number; perStore: number }>
export type JobLane = keyof typeof jobLanes
export const jobLaneNames = Object.keys(jobLanes) as JobLane[]

export const laneOf = (kind: JobKind): JobLane =>
  jobLaneNames.find(lane => (jobLanes[lane].kinds as readonly JobKind[]).includes(kind))!

/**
 * Whether we owe the job to shoppers, to the platform or to a merchant, who do not ask again. Such
 * a job is retried until it is done.
 */
export const isDuty = (kind: JobKind): boolean =>
  ['storeErasure', 'shopperErasure', 'shopperExport', 'leadMail'].includes(kind)
/**
 * After this number of attempts a duty (`isDuty`) is retried once an hour, and any other job is
 * stopped.
 */
export const maxAttempts = 5

/**
 * Maximum number of unfinished jobs of a kind that a store may have, for kinds that merchants and
 * staff can start any number of times. The other kinds have one job for each test or store, or are
 * limited where they are added (quota.ts `networkDecisions`).
 */
export const maxJobs: Partial<Record<JobKind, number>> = {
  screenshots: 20,
  launchCheck: 20,
  rebuild: 20,
}

export const tooManyJobs = (kind: JobKind): string =>
  `${maxJobs[kind]} jobs of this kind are waiting already. Try again when some of them are done.`

export type RunningJob = { storeId: string; kind: JobKind }
/**
 * The kinds of a lane from which a process may take another job. `without`: stores that already use
 * their share of the lane or, when fair, that run any job in it.
 */
export type Turn = { lane: JobLane; kinds: JobKind[]; without: string[] }

/**
 * Which jobs a process may take next, by lane; lanes without a free slot are left out. Call it
 * first with `isFair`, which allows only stores that run nothing in the lane. If they have nothing
 * due, call it without, which allows stores below their share. `here`: the jobs that this process
 * runs. `everywhere`: those that all processes run.
 */
export function turnsOf(
  known: readonly JobKind[],
  here: readonly RunningJob[],
  everywhere: readonly RunningJob[],
  isFair: boolean,
): Turn[] {
  return jobLaneNames.flatMap(lane => {
    const { slots, perStore } = jobLanes[lane]
    const kinds = known.filter(kind => laneOf(kind) === lane)
    if (kinds.length === 0 || here.filter(({ kind }) => laneOf(kind) === lane).length >= slots)
      return []
    const running = new Map<string, number>()
    for (const { storeId, kind } of everywhere)
      if (laneOf(kind) === lane) running.set(storeId, (running.get(storeId) ?? 0) + 1)
    const most = isFair ? 1 : perStore
    return [
      {
        lane,
        kinds,
        without: [...running].filter(([, count]) => count >= most).map(([storeId]) => storeId),
      },
    ]
  })
}
