#!/usr/bin/env python3
"""OpenMM on our platform, in each of its precisions: forces and energies match its reference code, after some steps too.

A box of water with all that makes kernels: bonds, angles, torsions, non-bonded pairs with a cut-off, Ewald sums by FFT (PME).
"""
import itertools
import sys

from client import on_our_platform

on_our_platform()
import numpy as np
import openmm
from openmm import unit

KJ, NM, PS = unit.kilojoule_per_mole, unit.nanometer, unit.picosecond


def water(side, method):
    """side^3 flexible molecules of water on a grid, and a chain of four atoms with a torsion.  OpenMM keeps the parameters of
    forces in single precision even where it calculates in double, so they are numbers that single precision has."""
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
        o = atom(16, -0.8125, 0.3125, 0.5625, at)
        h = [atom(1, 0.40625, 0.125, 0, at + d) for d in ([0.0957, 0, 0], [-0.024, 0.0927, 0])]
        for i in h:
            bonds.addBond(o, i, 49 / 512, 400000)
            pairs.addException(o, i, 0, 1, 0)
        angles.addAngle(h[0], o, h[1], 233 / 128, 600)
        pairs.addException(h[0], h[1], 0, 1, 0)
    chain = [atom(12, 0, 0.1875, 0.0625, np.array(p) + side * 0.31 + 0.1) for p in ([0, 0, 0], [0.1, 0.02, 0], [0.12, 0.1, 0.03], [0.2, 0.12, 0.09])]
    torsions.addTorsion(*chain, 3, 0.40625, 5)
    for i in range(3):
        bonds.addBond(chain[i], chain[i + 1], 0.09375, 100000)
    for i in range(4):
        for j in range(i):
            pairs.addException(chain[i], chain[j], 0, 1, 0)
    for force in (bonds, angles, torsions, pairs):
        system.addForce(force)
    edge = side * 0.31 + 0.5
    system.setDefaultPeriodicBoxVectors([edge, 0, 0], [0, edge, 0], [0, 0, edge])
    return system, positions


def simulation(system, positions, platform, properties):
    context = openmm.Context(system, openmm.VerletIntegrator(0.0002), openmm.Platform.getPlatformByName(platform), properties)
    context.setPositions(positions)
    return context


def state(context):
    state = context.getState(getForces=True, getEnergy=True)
    return (state.getForces(asNumpy=True).value_in_unit(KJ / NM), state.getPotentialEnergy().value_in_unit(KJ),
            (state.getPotentialEnergy() + state.getKineticEnergy()).value_in_unit(KJ))


METHODS = {"all pairs": openmm.NonbondedForce.NoCutoff, "cut-off": openmm.NonbondedForce.CutoffPeriodic,
           "Ewald": openmm.NonbondedForce.Ewald, "PME": openmm.NonbondedForce.PME}
TOLERANCES = {"single": (5e-4, 1e-4), "mixed": (5e-4, 1e-4), "double": (1e-10, 1e-10)}  # of forces, of energies
SUMS = 1e-7, 1e-5  # the least for Ewald and PME, which cut their sums off
print("OpenMM", openmm.Platform.getOpenMMVersion())
bad = 0
for precision, (title, method) in itertools.product(TOLERANCES, METHODS.items()):
    system, positions = water(5, method)
    ours = simulation(system, positions, "OpenCL", {"Precision": precision})
    assert ours.getPlatform().getPropertyValue(ours, "DeviceName").startswith("Chengying Ventus")
    reference = simulation(system, positions, "Reference", {})
    (forces, energy, _), (expected, expected_energy, _) = state(ours), state(reference)
    force_error = np.median(np.linalg.norm(forces - expected, axis=1) / np.linalg.norm(expected, axis=1))
    energy_error = abs(energy - expected_energy) / abs(expected_energy)
    for context in (ours, reference):
        context.getIntegrator().step(20)
    later, expected_later = state(ours)[2], state(reference)[2]
    later_error = abs(later - expected_later) / abs(expected_later)
    for_forces, for_energies = TOLERANCES[precision] if title in ("all pairs", "cut-off") else map(max, TOLERANCES[precision], SUMS)
    good = force_error < for_forces and energy_error < for_energies and later_error < for_energies
    bad += not good
    print(f"{'ok  ' if good else 'FAIL'} {precision}, {title}: forces differ by {force_error:.1e}, energy by {energy_error:.1e}, "
          f"after 20 steps by {later_error:.1e}", flush=True)
sys.exit(1 if bad else 0)
