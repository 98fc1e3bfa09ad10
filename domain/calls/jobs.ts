import { type Call, Id } from '../api/call.ts'
import { Job } from '../jobs/job.ts'

export const jobCalls = {
  storeJob: {
    method: 'GET',
    path: '/api/v0/store-jobs/:id',
    about: 'A background job as it stands',
    params: Id,
    response: Job,
    errors: { 404: 'No such job; finished ones are kept for thirty days' },
  },
} as const satisfies Record<string, Call>
