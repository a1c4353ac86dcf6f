/** Whether a path is a directory itself or lies in it. Both absolute and free of links. Pure. */
export const covers = (directory: string, path: string): boolean =>
  directory === "/" || path === directory || path.startsWith(`${directory}/`);
