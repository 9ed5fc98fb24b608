/**
 * The life of a turn, as its row has it. What has been spawned is never begun again unasked: it may have changed files and
 * spent money.
 *
 * | from | step | to |
 * |---|---|---|
 * | queued | a run takes it | claimed |
 * | claimed | the process is about to be started | spawned |
 * | claimed | its host is dead | queued |
 * | spawned | the run has ended | done |
 * | spawned | the same turn goes on with another session | queued |
 * | spawned | its host is dead | interrupted |
 * | spawned | its home was given up by others | interrupted; a result that comes nevertheless is kept with it, as late |
 * | interrupted | the caller wants it, nevertheless, and its process is about to be started | spawned |
 */
export const turnStates = ["queued", "claimed", "spawned", "done", "interrupted"] as const

export type TurnState = (typeof turnStates)[number]
