"""Locates the centre of a detected ball to a part of a pixel, with its uncertainty.

Outlines, a centre network, highlights, packs and pairs of balls each help; spots on the cloth too.
"""
