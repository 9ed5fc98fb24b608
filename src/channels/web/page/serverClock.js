/** The server's clock, by the `now` that comes with each connection: deadlines and elapsed times never trust the page's own. */
let ahead = 0

/** @param {number} serverNow ms since 1970 */
export const setServerTime = (serverNow) => {
  ahead = serverNow - Date.now()
}

export const now = () => Date.now() + ahead
