/** How many model calls a delegate may make: where nobody says, and at most. */
export const DELEGATE_ITERATIONS = Object.freeze({ usual: 5, most: 10 });
