/**
 * Reasons why a request of a page is refused: a status, a sentence for people and a fix, without details of the host. After
 * 408, 429 and 503 nothing was done, and the same request may be sent again after `retryAfterS`. Any other problem is final:
 * a repeated request gets the same answer.
 */
import { Data, type Effect } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import type { UploadProblem } from "./files.ts"

export class Problem extends Data.TaggedError("Problem")<{
  readonly status: number
  readonly error: string
  readonly help?: string
  /** Set if and only if the same request may be sent again. */
  readonly retryAfterS?: number
}> {}

export type Failure = Problem | StoreError
/** Return type of the generator of an effect that may fail so. */
export type Failing<A> = Effect.fn.Return<A, Failure>

export const problem = (status: number, error: string, help?: string): Problem =>
  new Problem({ status, error, ...(help === undefined ? {} : { help }) })

const later = (status: 408 | 429 | 503, retryAfterS: number, error: string, help: string) =>
  new Problem({ status, error, help, retryAfterS })

export const problems = {
  nobody: problem(401, "This page is not signed in.", "Open it again by the whole link that was printed."),
  unusable: problem(
    403,
    "The application says who you are in a form that cannot be used here.",
    "Tell the operator: the log says more."
  ),
  elsewhere: problem(
    403,
    "This request comes from another page or by another name of this machine.",
    "Open the page by its own address."
  ),
  notListed: problem(403, "You are not listed, so nothing of yours is taken.", "Ask the operator to list your id."),
  notFound: problem(404, "There is nothing here."),
  noConversation: problem(404, "This conversation does not exist."),
  noFile: problem(404, "This file is no longer kept.", "Files are kept for a week: send it again."),
  tooLarge: (most: string) => problem(413, `This is too large: at most ${most} can be taken.`),
  brokenOff: later(408, 1, "The request did not come whole.", "Send it again."),
  tooFast: later(429, 5, "That is too fast.", "Wait a few seconds."),
  tooManyReaders: later(429, 30, "Too many pages are open.", "Close some of them."),
  tooManyUploads: later(429, 5, "Too many files of you are on their way.", "Wait until some of them are there."),
  notServed: later(503, 2, "The bridge is not up yet.", "Try again in a moment."),
  /** Not delivered, or idempotent. */
  noAnswer: later(503, 2, "The bridge did not answer in time.", "Try again."),
  pageAway: (page: string) => {
    const error = `This conversation is at the page of ${page}, which does not answer: nothing was done.`
    return later(503, 5, error, "Start that one again, or begin another conversation here.")
  },
  /** `why`: from a code of the database, never its text. */
  store: (why = "") =>
    later(503, 2, "The store takes nothing for now, so nothing was done.", `${why} Try again in a moment.`.trim()),
  tooManyFiles: problem(507, "Too many files are kept of you.", "Files go after a week; send fewer."),
  noPlace: problem(507, "The file cannot be stored: the space is used up.", "Free some disk space."),
  wrong: (what: string) => problem(400, what),
  /** A defect of ours. */
  failed: problem(500, "That did not work.", "Try again; the log says more.")
} as const

/** Answer to a press in progress. */
export const notAnswered = "The bridge has it, and has not said yet what came of it."

/** By the largest size of a file, in bytes. */
export const uploadProblems: { readonly [P in UploadProblem]: (most: number) => Problem } = {
  "too large": (most) => problems.tooLarge(`${Math.floor(most / 1_000_000)} MB`),
  "too many": () => problems.tooManyFiles,
  "too many at once": () => problems.tooManyUploads,
  "no place": () => problems.noPlace,
  "broken off": () => problems.brokenOff
}
