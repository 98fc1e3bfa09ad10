/** @jsxImportSource react */
import { useEffect, useState } from 'react'
import type { Job } from '../../domain/jobs/job.ts'
import { Icon } from '../icon.tsx'

type Shown = Pick<Job, 'id' | 'status' | 'message' | 'progress'>
export type UninstallProgressProps = {
  job: Shown
  /** The address that returns the job. */
  progress: string
  /** The address to go to once the job is done. */
  done: string
  /** The form that starts the same job again: its address and its fields. */
  again: { action: string; fields: Record<string, string> }
}
/** After this long without news, the job is requested. Milliseconds. */
const quiet = 2_000

/**
 * The progress of the uninstall: the page's WebSocket reports it, and the job is requested whenever
 * there is no news.
 */
export function UninstallProgress({ job: first, progress, done, again }: UninstallProgressProps) {
  const [job, setJob] = useState(first)
  const [isLost, setLost] = useState(false)
  const isOver = job.status === 'completed' || job.status === 'errored'

  useEffect(() => {
    if (isOver) return
    let timer: ReturnType<typeof setTimeout>
    let isGone = false
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(ask, quiet)
    }
    const take = (told: Shown) => {
      setJob(told)
      setLost(false)
      wait()
    }
    const hear = (event: Event) => {
      const told = (event as CustomEvent<Shown>).detail
      if (told.id === first.id) take(told)
    }
    async function ask(): Promise<void> {
      try {
        const response = await fetch(progress, { headers: { 'hx-request': 'true' } })
        if (isGone) return
        // The store is no longer ours, or its session is over: the server names the page to
        // continue with.
        const to = response.headers.get('hx-redirect')
        if (to) return location.replace(to)
        if (response.ok) return take((await response.json()) as Shown)
      } catch {
        // The page shows below that there is no answer.
      }
      if (isGone) return
      setLost(true)
      wait()
    }
    document.addEventListener('live:job', hear)
    wait()
    return () => {
      isGone = true
      clearTimeout(timer)
      document.removeEventListener('live:job', hear)
    }
  }, [isOver])
  useEffect(() => {
    if (job.status === 'completed') location.replace(done)
  }, [job.status])

  if (job.status === 'errored')
    return (
      <div className="card-body stack">
        <p className="banner" data-tone="bad" role="alert">
          <Icon name="warning" />
          <span>
            <strong>The uninstall stopped before it was finished.</strong> {job.message}
          </span>
        </p>
        <p>
          What was already restored stays restored. Twinshelf is still installed. Try again to
          continue from here.
        </p>
        <form className="row" method="post" action={again.action}>
          {Object.entries(again.fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <button>Try again</button>
        </form>
      </div>
    )
  const percent = Math.floor(job.progress * 100)
  return (
    <div className="card-body stack">
      <div className="work">
        <div className="row">
          <span role="status">
            {isLost
              ? 'Twinshelf does not answer. Trying again'
              : (job.message ?? 'Waiting to begin')}
          </span>
          <span className="figures">{percent}%</span>
        </div>
        <progress value={percent} max={100} aria-label={`Uninstalling, ${percent}% done`} />
      </div>
      <p className="note">You can leave this page. The uninstall continues.</p>
    </div>
  )
}
