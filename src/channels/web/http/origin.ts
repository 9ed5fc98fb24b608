/** Whether a browser asks from the page's own origin; pure. What is no browser sends neither header, and has no cookies. */

/** Default: the origin of the host that the request names. */
export const isOwnOrigin = (request: Request, origins: ReadonlyArray<string> | undefined): boolean => {
  const origin = request.headers.get("origin")
  const site = request.headers.get("sec-fetch-site")
  if (origin !== null) {
    if (origins !== undefined) return origins.includes(origin)
    const host = request.headers.get("host") ?? new URL(request.url).host
    return origin === `http://${host}` || origin === `https://${host}`
  }
  // Without an origin, a browser says so of its own pages and of what people type.
  return site === null || site === "same-origin" || site === "none"
}
