/** The toolchain's class; what the package needs of it is described where it is used. */
export declare class Go {}
