/** How many cases a property is tried on: all of them in `npm test`, a fifth in the inner loop (`npm run test:pure`). */
const share = process.env["INNER_LOOP"] === "1" ? 5 : 1

export const runs = (cases: number) => ({ arbitrary: { runs: Math.ceil(cases / share) } })
