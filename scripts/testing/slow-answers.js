// Preload for any Node process (NODE_OPTIONS='--import …'): delays some of the requests to its
// servers, as on a slow machine or connection. This reveals code and tests that assume that
// something has already happened. SLOW_ANSWERS is the seed; but the order of requests varies, so
// the slow ones are never quite the same.
import { Server } from 'node:http'

const share = 0.3,
  longest = 900
let state = (Number(process.env.SLOW_ANSWERS) || 1) * 7919 + process.pid
const random = () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff

const { emit } = Server.prototype
Server.prototype.emit = function (name, ...given) {
  if (
    (name !== 'request' && name !== 'upgrade') ||
    random() >= share ||
    /^\/(healthz|readyz)/.test(given[0].url)
  )
    return emit.call(this, name, ...given)
  setTimeout(() => {
    // A closed server would neither answer the request nor close its socket.
    if (this.listening) emit.call(this, name, ...given)
    else given[0].socket.destroy()
  }, random() * longest)
  return true
}
