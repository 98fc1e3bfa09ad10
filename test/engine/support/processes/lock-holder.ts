import { takeLock } from '../../../../engine/db/lock.ts'

// A process that holds the lock of a data folder until it is killed (lock.test.ts).
try {
  takeLock(process.argv[2]!)
  console.log('held')
  setInterval(() => {}, 1_000)
} catch (error) {
  console.log((error as Error).message)
}
