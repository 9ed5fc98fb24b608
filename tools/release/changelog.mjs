/** How a note of a change stands in the changelog: as a point of a list, without the id of a commit. */

/** @param {string} summary */
const pointOf = (summary) => `- ${summary.trim().replaceAll(/\n(?=.)/g, "\n  ")}`

/** @param {{ readonly summary: string }} change */
export const getReleaseLine = async ({ summary }) => pointOf(summary)

export const getDependencyReleaseLine = async () => ""
