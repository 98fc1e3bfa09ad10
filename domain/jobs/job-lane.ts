import type { JobKind } from './job.ts'

/**
 * Kinds of work that take turns with their own kind alone: what waits for a browser or counts events again keeps no
 * schedule, hold or uninstall waiting. `slots`: jobs that a process runs at once; `perStore`: of these, of one store,
 * so that others always find room.
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
  browser: { kinds: ['launchCheck', 'screenshots', 'choicePictures'], slots: 2, perStore: 1 },
} as const satisfies Record<string, { kinds: readonly JobKind[]; slots: number; perStore: number }>
export type JobLane = keyof typeof jobLanes
export const jobLaneNames = Object.keys(jobLanes) as JobLane[]

export const laneOf = (kind: JobKind): JobLane =>
  jobLaneNames.find(lane => (jobLanes[lane].kinds as readonly JobKind[]).includes(kind))!

/** What was promised to people and to the platform, which does not ask again: it is tried until it is done. */
export const isDuty = (kind: JobKind): boolean =>
  ['storeErasure', 'shopperErasure', 'shopperExport'].includes(kind)
/** Attempts after which a duty is tried once an hour, and any other job ends. */
export const maxAttempts = 5

/** Unfinished jobs that a store may have of a kind, where merchants and staff can ask for any number. Of the other kinds there is one for each test or store. */
export const maxJobs: Partial<Record<JobKind, number>> = {
  screenshots: 20,
  launchCheck: 20,
  rebuild: 20,
}

export const tooManyJobs = (kind: JobKind): string =>
  `${maxJobs[kind]} jobs of this kind are waiting already. Try again when some of them are done.`

export type RunningJob = { storeId: string; kind: JobKind }
/** From which kinds a process may take up another job; null when it has no slot left. The stores named have their share of the lane already, or (`isFair`) any job in it. */
export type Turn = { lane: JobLane; kinds: JobKind[]; without: string[] }

/**
 * Whose turn it is, lane by lane. First the stores of which nothing runs in that lane; when none of them has anything
 * due, those that have less than their share. `here`: what this process runs; `everywhere`: what all of them do.
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
