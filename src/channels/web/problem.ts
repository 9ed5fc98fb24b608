/** Why a request of a page is not done: a status, a sentence for people, and what to do. Nothing of the host stands in it. */
import { Data } from "effect"

export class Problem extends Data.TaggedError("Problem")<{
  readonly status: number
  readonly error: string
  readonly help?: string
  readonly retryAfterS?: number
}> {}

export const problem = (status: number, error: string, help?: string): Problem =>
  new Problem({ status, error, ...(help === undefined ? {} : { help }) })

const later = "Try again in a moment."

export const problems = {
  nobody: problem(401, "This page is not signed in.", "Open it again by the whole link that was printed."),
  unusable: problem(
    403,
    "The application says who you are in a form that cannot be used here.",
    "Tell whoever runs it: the log says more."
  ),
  elsewhere: problem(
    403,
    "This request comes from another page or by another name of this machine.",
    "Open the page by its own address."
  ),
  notListed: problem(
    403,
    "You are not listed, so nothing of yours is taken.",
    "Ask whoever runs this to list your id."
  ),
  notFound: problem(404, "There is nothing here."),
  noConversation: problem(404, "There is no such conversation."),
  noFile: problem(404, "This file is no longer kept.", "Files are kept for a week: send it again."),
  tooLarge: (most: string) => problem(413, `This is too large: at most ${most} can be taken.`),
  tooFast: new Problem({ status: 429, error: "That is too fast.", help: "Wait a few seconds.", retryAfterS: 5 }),
  tooManyReaders: new Problem({
    ...{ status: 429, error: "Too many pages are open.", help: "Close some of them.", retryAfterS: 30 }
  }),
  notServed: problem(503, "The bridge is not up yet.", "Try again in a moment."),
  noAnswer: problem(503, "The bridge did not answer in time.", "Try again."),
  /** `why`: by a code of the database, never a text of it. */
  store: (why: string | undefined) =>
    problem(
      503,
      "The store takes nothing for now, so nothing was done.",
      why === undefined ? later : `${why} ${later}`
    ),
  noPlace: problem(507, "The file cannot be kept: there is no room for it.", "Free some disk space."),
  wrong: (what: string) => problem(400, what)
} as const
