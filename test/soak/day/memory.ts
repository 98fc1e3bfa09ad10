import { readFileSync } from 'node:fs'
import type { Member } from '../fleet/processes.ts'

type Sample = { name: string; at: number; megabytes: number }

/** The resident memory of processes over time. Linux only. */
export function memoryOf(members: readonly Member[]) {
  const samples: Sample[] = []
  return {
    take: () => {
      for (const { name, pid } of members) {
        const megabytes = residentOf(pid())
        if (megabytes !== null) samples.push({ name, at: Date.now(), megabytes })
      }
    },
    /** The median of a process's samples between two instants. Megabytes; NaN without samples. */
    middle: (name: string, from: number, to: number) => {
      const own = samples
        .filter(each => each.name === name && each.at >= from && each.at < to)
        .map(({ megabytes }) => megabytes)
        .sort((a, b) => a - b)
      return own[own.length >> 1] ?? NaN
    },
  }
}

/** Megabytes; null for a process that has just been killed. */
function residentOf(pid: number | null): number | null {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes ? Math.round(Number(kilobytes) / 1024) : null
  } catch {
    return null
  }
}
