#!/usr/bin/env python3
"""OpenMM on our platform: forces and energies match its reference code, after some steps too.

A box of water with all that makes kernels: bonds, angles, torsions, non-bonded pairs with a cut-off, Ewald sums by FFT (PME).
"""
import sys

from client import on_our_platform

on_our_platform()
import numpy as np
import openmm
from openmm import unit

KJ, NM, PS = unit.kilojoule_per_mole, unit.nanometer, unit.picosecond


def water(side, method):
    """side^3 flexible molecules of water on a grid, and a chain of four atoms with a torsion."""
    system, positions = openmm.System(), []
    bonds, angles = openmm.HarmonicBondForce(), openmm.HarmonicAngleForce()
    pairs, torsions = openmm.NonbondedForce(), openmm.PeriodicTorsionForce()
    pairs.setNonbondedMethod(method)
    pairs.setCutoffDistance(0.6)

    def atom(mass, charge, sigma, epsilon, place):
        positions.append(place)
        pairs.addParticle(charge, sigma, epsilon)
        return system.addParticle(mass)

    for x, y, z in np.ndindex(side, side, side):
        at = np.array([x, y, z]) * 0.31 + 0.1
        o = atom(16, -0.8, 0.315, 0.636, at)
        h = [atom(1, 0.4, 0.1, 0, at + d) for d in ([0.0957, 0, 0], [-0.024, 0.0927, 0])]
        for i in h:
            bonds.addBond(o, i, 0.0957, 400000)
            pairs.addException(o, i, 0, 1, 0)
        angles.addAngle(h[0], o, h[1], 1.82, 600)
        pairs.addException(h[0], h[1], 0, 1, 0)
    chain = [atom(12, 0, 0.2, 0.1, np.array(p) + side * 0.31 + 0.1) for p in ([0, 0, 0], [0.1, 0.02, 0], [0.12, 0.1, 0.03], [0.2, 0.12, 0.09])]
    torsions.addTorsion(*chain, 3, 0.4, 5)
    for i in range(3):
        bonds.addBond(chain[i], chain[i + 1], 0.1, 100000)
    for i in range(4):
        for j in range(i):
            pairs.addException(chain[i], chain[j], 0, 1, 0)
    for force in (bonds, angles, torsions, pairs):
        system.addForce(force)
    edge = side * 0.31 + 0.5
    system.setDefaultPeriodicBoxVectors([edge, 0, 0], [0, edge, 0], [0, 0, edge])
    return system, positions


def simulation(system, positions, platform):
    context = openmm.Context(system, openmm.VerletIntegrator(0.0002), openmm.Platform.getPlatformByName(platform))
    context.setPositions(positions)
    return context


def state(context):
    state = context.getState(getForces=True, getEnergy=True)
    return (state.getForces(asNumpy=True).value_in_unit(KJ / NM), state.getPotentialEnergy().value_in_unit(KJ),
            (state.getPotentialEnergy() + state.getKineticEnergy()).value_in_unit(KJ))


bad = 0
for title, method in (("all pairs", openmm.NonbondedForce.NoCutoff), ("cut-off", openmm.NonbondedForce.CutoffPeriodic),
                      ("Ewald", openmm.NonbondedForce.Ewald), ("PME", openmm.NonbondedForce.PME)):
    system, positions = water(5, method)
    ours = simulation(system, positions, "OpenCL")
    if title == "all pairs":
        print("OpenMM", openmm.Platform.getOpenMMVersion(), "on", ours.getPlatform().getPropertyValue(ours, "DeviceName"))
    reference = simulation(system, positions, "Reference")
    (forces, energy, _), (expected, expected_energy, _) = state(ours), state(reference)
    force_error = np.median(np.linalg.norm(forces - expected, axis=1) / np.linalg.norm(expected, axis=1))
    energy_error = abs(energy - expected_energy) / abs(expected_energy)
    for context in (ours, reference):
        context.getIntegrator().step(20)
    later, expected_later = state(ours)[2], state(reference)[2]
    later_error = abs(later - expected_later) / abs(expected_later)
    good = force_error < 5e-4 and energy_error < 1e-4 and later_error < 1e-4
    bad += not good
    print(f"{'ok  ' if good else 'FAIL'} {title}: forces differ by {force_error:.1e}, energy by {energy_error:.1e}, "
          f"after 20 steps by {later_error:.1e}", flush=True)
sys.exit(1 if bad else 0)
